// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { batchBody, LARGE_BYTES, planSending, windows } from "@/features/files/upload/plan";

const file = (path: string, size: number, sha256 = path) => ({ path, sha256, file: { size } as Blob });
const all = (files: { sha256: string }[]) => new Set(files.map(({ sha256 }) => sha256));

describe("a plan for sending", () => {
  it("sends small files together and large ones alone", () => {
    const files = [file("a", 10), file("b", LARGE_BYTES), file("c", 20)];
    const plan = planSending(files, all(files));
    expect(plan.batches.map((batch) => batch.map(({ path }) => path))).toEqual([["a", "c"]]);
    expect(plan.large.map(({ path }) => path)).toEqual(["b"]);
  });

  it("sends nothing the server has, and the same content once", () => {
    const files = [file("a", 10, "same"), file("b", 10, "same"), file("c", 10, "known")];
    const plan = planSending(files, new Set(["same"]));
    expect(plan.batches.map((batch) => batch.map(({ path }) => path))).toEqual([["a"]]);
  });

  it("keeps batches within 500 files and 16 MiB", () => {
    const many = Array.from({ length: 1201 }, (_, index) => file(`f${index}`, 100));
    expect(planSending(many, all(many)).batches.map((batch) => batch.length)).toEqual([500, 500, 201]);
    const heavy = Array.from({ length: 12 }, (_, index) => file(`f${index}`, 3 * 1024 * 1024));
    const sizes = planSending(heavy, all(heavy)).batches.map((batch) => batch.reduce((sum, item) => sum + item.file.size, 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it("works in windows of at most 1,000 files, and gives a huge file one of its own", () => {
    const files = [...Array.from({ length: 1500 }, (_, index) => file(`f${index}`, 1)), file("huge", 10 ** 10)];
    expect([...windows(files)].map((window) => window.length)).toEqual([1000, 500, 1]);
    expect([...windows([])]).toEqual([]);
  });

  it("frames each file with its digest and size", async () => {
    const body = batchBody([
      { path: "a", sha256: "aa", file: new Blob(["hello"]) },
      { path: "b", sha256: "bb", file: new Blob([]) },
    ]);
    const text = await new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsText(body);
    });
    expect(text).toBe("aa 5\nhellobb 0\n");
  });
});
