import { describe, expect, it } from "vitest";
import { axesOf, firstAxes, linesOf } from "@/features/experiments/parallel";
import type { Keys, TrackedRun } from "@/features/experiments/types";

const keys: Keys = { metrics: ["acc"], parameters: ["lr", "opt", "seed"], tags: [], is_cut: false };

function run(id: string, parameters: Record<string, string>, acc: number | null): TrackedRun {
  return { id, name: id, state: "completed", task: null, created_by: "ann", started_at: "2026-01-01T00:00:00Z", ended_at: null, duration_s: null, metrics: { acc }, parameters, tags: {} };
}

const runs = [run("a", { lr: "0.1", opt: "adam", seed: "1" }, 0.5), run("b", { lr: "0.01", opt: "sgd", seed: "1" }, null)];

describe("runs as lines across axes", () => {
  it("begins with the parameters that differ, and the metrics", () => {
    expect(firstAxes(keys, runs)).toEqual(["params.lr", "params.opt", "metrics.acc"]);
  });

  it("makes an axis of numbers only where all values are numbers", () => {
    expect(axesOf(runs, ["params.lr", "params.opt"]).map((axis) => axis.words)).toEqual([null, ["adam", "sgd"]]);
  });

  it("leaves a gap where a run has no value, and no colour", () => {
    const axes = axesOf(runs, ["params.lr", "metrics.acc"]);
    expect(linesOf(runs, axes, "metrics.acc")).toEqual([
      { key: "a", name: "a", values: [0.1, 0.5], shade: 0.5 },
      { key: "b", name: "b", values: [0.01, null], shade: null },
    ]);
  });
});
