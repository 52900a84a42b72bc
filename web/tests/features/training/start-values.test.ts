import { describe, expect, it } from "vitest";
import { startBody, startValues } from "@/features/training/start-values";

const task = { parameters: { lr: 0.1, "a.b": "adam", version: "1.0", deep: true }, spec: null, priority: "normal" as const };

describe("a start with changes", () => {
  it("sends nothing when nothing was changed", () => {
    expect(startBody(task, startValues(task))).toEqual({});
  });
  it("sends only what differs, and keeps the kinds of values", () => {
    const values = { ...startValues(task), values: ["0.5", "adam", '"1.0"', "false"] };
    expect(startBody(task, values)).toEqual({ parameters: { lr: 0.5, deep: false } });
  });
  it("adds further parameters and leaves rows without a name out", () => {
    const values = { ...startValues(task), parameters: [{ name: " steps ", value: "10" }, { name: "", value: "x" }] };
    expect(startBody(task, values)).toEqual({ parameters: { steps: 10 } });
  });
  it("sends another spec and priority", () => {
    expect(startBody(task, { ...startValues(task), spec: "large", priority: "high" })).toEqual({ spec: "large", priority: "high" });
  });
});
