import { describe, expect, it } from "vitest";
import { columnsOf } from "@/features/evaluations/class-columns";
import { bestOf, seriesNames } from "@/features/evaluations/comparing";
import { evaluateCommand } from "@/features/evaluations/commands";
import { shareOfRow, shownPlaces } from "@/features/evaluations/confusion";
import { filtered, labelCounts, reasons, rowOf } from "@/features/evaluations/examples";
import { isSound, outlineOf } from "@/features/evaluations/painting";
import { readResult } from "@/features/evaluations/result";
import type { Example } from "@/features/evaluations/result";
import { bestRow, rowAt } from "@/features/evaluations/thresholds";
import { encodeMask } from "@/features/annotate/model/rle";

describe("a result", () => {
  it("is read as far as it can be understood", () => {
    const found = readResult({
      classes: [{ label: "daisy", support: 20, precision: 0.5, ap: null }, { support: 3 }, 7],
      confusion: { labels: ["a", "b"], counts: [[1, 2], [3, 4]] },
      curves: { pr: [{ label: "daisy", points: [[0, 1, 0.9], ["x", 1], [1, 0.5]] }] },
      thresholds: [{ threshold: 0.5, precision: 1, recall: 1, f1: 1 }, { threshold: 0.6 }],
      worst: [{ seq: 3, path: "a.png", badness: 0.9, why: "wrong_class", truth: [{ type: "class", label: "daisy" }], predicted: [null, { label: "rose" }] }, { path: "b" }],
    });
    expect(found.classes).toEqual([{ label: "daisy", support: 20, values: { precision: 0.5 } }]);
    expect(found.confusion?.counts[1]).toEqual([3, 4]);
    expect(found.curves).toEqual([{ label: "daisy", points: [[0, 1, 0.9], [1, 0.5]] }]);
    expect(found.thresholds).toHaveLength(1);
    expect(found.worst).toEqual([{ seq: 3, path: "a.png", badness: 0.9, why: "wrong_class", truth: [{ type: "class", label: "daisy" }], predicted: [] }]);
  });

  it("is empty where nothing of it is as it should be", () => {
    const nothing = { classes: [], confusion: null, curves: [], thresholds: [], worst: [] };
    expect(readResult(null)).toEqual(nothing);
    expect(readResult({ classes: {}, confusion: { labels: ["a"], counts: [[1, 2]] }, curves: [], worst: "x" })).toEqual(nothing);
  });
});

describe("a confusion matrix", () => {
  const confusion = { labels: ["a", "b", "c"], counts: [[8, 2, 0], [0, 5, 0], [0, 1, 9]] };

  it("shows all labels while there are few, else those that are mistaken most", () => {
    expect(shownPlaces(confusion, 3)).toEqual([0, 1, 2]);
    expect(shownPlaces(confusion, 2)).toEqual([0, 1]);
  });

  it("is painted by the share of what truly is the label", () => {
    expect(shareOfRow(confusion, 0, 1)).toBe(0.2);
    expect(shareOfRow({ labels: ["a"], counts: [[0]] }, 0, 0)).toBe(0);
  });
});

describe("thresholds", () => {
  const rows = [
    { threshold: 0, precision: 0.5, recall: 1, f1: 0.667 },
    { threshold: 0.5, precision: 0.8, recall: 0.8, f1: 0.8 },
    { threshold: 1, precision: 1, recall: 0.1, f1: 0.18 },
  ];

  it("are answered by the nearest that was measured", () => {
    expect(rowAt(rows, 0.6)?.threshold).toBe(0.5);
    expect(rowAt(rows, 0.9)?.threshold).toBe(1);
    expect(rowAt([], 0.5)).toBeNull();
  });

  it("have a best one", () => {
    expect(bestRow(rows)?.threshold).toBe(0.5);
  });
});

describe("examples", () => {
  const example = (seq: number, why: string, truth: string[], predicted: string[]): Example => ({
    seq,
    path: "",
    badness: 1,
    why,
    truth: truth.map((label) => ({ type: "class", label })),
    predicted: predicted.map((label) => ({ type: "class", label, score: 0.7 })),
  });
  const examples = [example(1, "wrong_class", ["a"], ["b"]), example(2, "wrong_class", ["b"], ["a"]), example(3, "missed", ["a"], [])];

  it("are found by what is true and what was predicted", () => {
    expect(filtered(examples, { why: null, truth: "a", predicted: "b" }).map((one) => one.seq)).toEqual([1]);
    expect(filtered(examples, { why: null, truth: "a", predicted: "background" }).map((one) => one.seq)).toEqual([1, 3]);
    expect(filtered(examples, { why: "missed", truth: null, predicted: null }).map((one) => one.seq)).toEqual([3]);
  });

  it("are told by their reasons, the commonest first", () => {
    expect(reasons(examples)).toEqual(["wrong_class", "missed"]);
  });

  it("show rows of tables by their columns", () => {
    expect(rowOf('{"age": 39, "job": null, "tags": [1]}')).toEqual([["age", "39"], ["job", "null"], ["tags", "[1]"]]);
    expect(rowOf('{"age": 39, "jo')).toBeNull();
    expect(rowOf("words")).toBeNull();
  });

  it("say what number was there and what was predicted", () => {
    const [one] = readResult({ worst: [{ seq: 1, truth: [], predicted: [], true_value: 3, value: 7.5 }] }).worst;
    expect([one?.truth[0]?.value, one?.predicted[0]?.value]).toEqual([3, 7.5]);
  });

  it("name each label once", () => {
    expect(labelCounts([{ type: "class", label: "a", score: 0.2 }, { type: "class", label: "a", score: 0.9 }, { type: "class" }])).toEqual([{ label: "a", count: 2, score: 0.9 }]);
  });

  it("draw only what is as it should be", () => {
    expect(outlineOf({ type: "box", x: 0, y: 0, w: 2, h: 2 })).toContain("M");
    expect(outlineOf({ type: "polygon" } as never)).toBe("");
    const mask = encodeMask({ x: 1, y: 1, w: 2, h: 2, data: new Uint8Array([1, 1, 1, 1]) }, 4, 4);
    expect(isSound(mask)).toBe(true);
    expect(isSound({ ...mask, size: [2, 2] })).toBe(false);
  });
});

describe("a comparison", () => {
  it("marks the best, where one is better", () => {
    expect(bestOf([0.1, 0.3, null], false)).toBe(1);
    expect(bestOf([0.1, 0.3], true)).toBe(0);
    expect(bestOf([0.3, 0.3], false)).toBeNull();
  });

  it("tells apart what was measured twice", () => {
    const one = (model: string) => ({ model, threshold: 0.5, run: null });
    expect(seriesNames([one("a@1"), one("a@2"), one("a@1")])).toEqual(["a@1 (1)", "a@2", "a@1 (2)"]);
    expect(seriesNames([one("a@1"), { ...one("a@1"), threshold: 0.3 }])).toEqual(["a@1 (≥ 0.5)", "a@1 (≥ 0.3)"]);
  });

  it("has the measures in the order people expect", () => {
    expect(columnsOf([{ values: { iou: 1, recall: 1 } }, { values: { zeta: 1, precision: 1 } }])).toEqual(["precision", "recall", "iou", "zeta"]);
  });
});

describe("the command", () => {
  it("is one for each model", () => {
    expect(evaluateCommand({ model: ["a@1", "b@2"], dataset: "d@1", part: "all", threshold: 0.5, spec: null })).toBe("tidemill evaluate a@1 d@1 --part all\ntidemill evaluate b@2 d@1 --part all");
    expect(evaluateCommand({ model: [], dataset: null, part: "test", threshold: 0.3, spec: "small" })).toBe("tidemill evaluate MODEL DATASET --threshold 0.3 --spec small");
  });
});
