// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { bestAtEach, gainOf, measured } from "@/features/loop/curve";
import { retrainBody, retrainCommand } from "@/features/loop/loop-values";
import { modelPath } from "@/features/loop/references";
import { stepsOf } from "@/features/loop/steps";
import type { CurvePoint } from "@/features/loop/types";

const point = (labelled: number, value: number | null, created_at: string, metric = "accuracy"): CurvePoint => ({ labelled, version: 1, model: "m@1", evaluation: null, run: { id: "run_1", name: "sea-1" }, metric, value, created_at });

describe("quality against labels", () => {
  const curve = [point(60, 0.71, "2026-01-01"), point(20, 0.5, "2026-01-03"), point(60, 0.75, "2026-01-02"), point(90, null, "2026-01-04"), point(90, 0.9, "2026-01-05", "map")];

  it("goes by number of labels, with what was measured by the same figure", () => {
    expect(measured({ curve, primary: "accuracy" }).map(({ value }) => value)).toEqual([0.5, 0.71, 0.75]);
    expect(bestAtEach(measured({ curve, primary: "accuracy" }), false)).toEqual([[20, 0.5], [60, 0.75]]);
    expect(bestAtEach(measured({ curve, primary: "accuracy" }), true)).toEqual([[20, 0.5], [60, 0.71]]);
  });

  it("tells what the newest model gained", () => {
    expect(gainOf([point(1, 0.5, "2026-01-01"), point(2, 0.75, "2026-01-02")])).toBe(0.25);
    expect(gainOf([point(1, 0.5, "2026-01-01")])).toBeNull();
  });
});

describe("a round", () => {
  it("shows its steps, and annotating only where it was asked for", () => {
    expect(stepsOf({ step: "training", state: "running", auto: null })).toEqual([
      { step: "publishing", status: "finish" },
      { step: "copying", status: "finish" },
      { step: "training", status: "process" },
    ]);
    expect(stepsOf({ step: "annotating", state: "failed", auto: "aut_1" }).at(-1)).toEqual({ step: "annotating", status: "error" });
    expect(stepsOf({ step: "done", state: "done", auto: "aut_1" }).every(({ status }) => status === "finish")).toBe(true);
  });

  it("is asked for with a time budget, and a threshold where it annotates", () => {
    expect(retrainBody({ minutes: 5, thenAnnotate: false, thresholdPercent: 80 })).toEqual({ time_budget_s: 300, then_annotate: false, threshold: 0.8 });
    expect(retrainBody({ minutes: 5, thenAnnotate: false, algorithm: "means@1" })).toMatchObject({ algorithm: "means@1", threshold: 0.5 });
    expect(retrainBody({ minutes: 5, thenAnnotate: true, thresholdPercent: 80 })).toMatchObject({ threshold: 0.8 });
    expect(retrainCommand({ project: "p", dataset: "sea" }, { minutes: 5, thenAnnotate: true, thresholdPercent: 80 })).toContain("--then-annotate --threshold 0.8");
  });
});

describe("models", () => {
  it("are found by their reference", () => {
    expect(modelPath("p", "sea@3")).toBe("/p/p/models/sea/versions/3");
    expect(modelPath("p", "public/yolox-nano@1")).toBe("/p/public/models/yolox-nano/versions/1");
  });
});
