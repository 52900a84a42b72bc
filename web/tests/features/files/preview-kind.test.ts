import { describe, expect, it } from "vitest";
import { hexLines } from "@/features/files/preview/hex";
import { hasStructure, isTextual, previewKindOf } from "@/features/files/preview/preview-kind";

describe("the preview of a file", () => {
  it.each([
    ["README.md", {}, "markdown"],
    ["data.TSV", {}, "table"],
    ["a.ipynb", {}, "notebook"],
    ["logo.svg", { is_text: true }, "image"],
    ["train.py", { is_text: true }, "text"],
    ["Makefile", { is_text: true }, "text"],
    ["photo", { media_type: "image/png" }, "image"],
    ["weights.bin", { is_text: false, media_type: "application/octet-stream" }, "bytes"],
  ])("%s is shown as it suits it", (path, facts, kind) => {
    expect(previewKindOf({ path, ...facts })).toBe(kind);
  });

  it("can be edited where it is text underneath", () => {
    expect(isTextual("markdown", "a.md")).toBe(true);
    expect(isTextual("image", "a.svg")).toBe(true);
    expect(isTextual("image", "a.png")).toBe(false);
    expect(isTextual("pdf", "a.pdf")).toBe(false);
  });

  it("has a structure for model files", () => {
    expect(["m.onnx", "m.tflite", "m.keras", "m.h5", "m.safetensors", "m.pt", "m.jit"].every(hasStructure)).toBe(true);
    expect(hasStructure("train.py")).toBe(false);
  });

  it("of unknown bytes shows address, bytes and characters", () => {
    const bytes = Uint8Array.from([0x50, 0x4b, 0x03, 0x04, ...Array<number>(13).fill(0x41)]);
    expect(hexLines(bytes)).toEqual(["00000000  50 4b 03 04 41 41 41 41 41 41 41 41 41 41 41 41  PK..AAAAAAAAAAAA", `00000010  41${" ".repeat(45)}  A`]);
  });
});
