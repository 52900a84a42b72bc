import { describe, expect, it } from "vitest";
import { parseNotebook } from "@/features/files/preview/notebook";

const notebook = (cells: unknown[], metadata: unknown = {}) => JSON.stringify({ nbformat: 4, metadata, cells });

describe("a notebook", () => {
  it("gives its cells in order, joined from lines", () => {
    const found = parseNotebook(
      notebook([
        { cell_type: "markdown", source: ["# A\n", "b"] },
        { cell_type: "code", execution_count: 7, source: "x = 1", outputs: [] },
      ]),
    );
    expect(found?.cells).toEqual([
      { kind: "markdown", source: "# A\nb", count: null, outputs: [] },
      { kind: "code", source: "x = 1", count: 7, outputs: [] },
    ]);
  });

  it("shows the richest output that is safe, and errors without terminal colours", () => {
    const outputs = [
      { output_type: "display_data", data: { "image/png": "AA\nBB", "text/plain": "<fig>" } },
      { output_type: "execute_result", data: { "text/html": ["<b>", "x</b>"], "text/plain": "x" } },
      { output_type: "stream", name: "stderr", text: "careful" },
      { output_type: "error", traceback: ["\u001b[0;31mValueError\u001b[0m: no"] },
    ];
    expect(parseNotebook(notebook([{ cell_type: "code", source: "", outputs }]))?.cells[0]?.outputs).toEqual([
      { kind: "image", address: "data:image/png;base64,AABB" },
      { kind: "html", html: "<b>x</b>" },
      { kind: "text", text: "careful", isError: true },
      { kind: "text", text: "ValueError: no", isError: true },
    ]);
  });

  it("shows SVG only as the address of a picture", () => {
    const outputs = [{ output_type: "display_data", data: { "image/svg+xml": "<svg><script>1</script></svg>" } }];
    const [output] = parseNotebook(notebook([{ cell_type: "code", source: "", outputs }]))?.cells[0]?.outputs ?? [];
    expect(output).toMatchObject({ kind: "image" });
    expect(output?.kind === "image" && output.address).toMatch(/^data:image\/svg\+xml;charset=utf-8,%3Csvg/);
  });

  it("says which language it is in", () => {
    expect(parseNotebook(notebook([], { language_info: { name: "julia" } }))?.language).toBe("julia");
    expect(parseNotebook(notebook([]))?.language).toBe("python");
  });

  it("is none when it is something else", () => {
    expect(parseNotebook("not json")).toBeNull();
    expect(parseNotebook("[]")).toBeNull();
    expect(parseNotebook('{"cells": 3}')).toBeNull();
  });

  it("with nonsense in it does not break", () => {
    expect(parseNotebook(notebook([null, 3, { cell_type: {}, source: 5, outputs: [null, { output_type: "display_data", data: 4 }] }]))?.cells).toEqual([
      { kind: "code", source: "", count: null, outputs: [] },
    ]);
  });
});
