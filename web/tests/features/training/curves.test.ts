import { describe, expect, it } from "vitest";
import { chartsOf, isOnce } from "@/features/training/curves";
import { smoothed } from "@/features/training/smoothing";
import { chartCsv } from "@/ui/chart/csv";
import { stepOf } from "@/ui/chart/options";

const series = (key: string, points: [number, number | null, number][]) => ({ key, source: "sdk" as const, points, last: 0, last_step: 0, min: 0, max: 0, count: points.length });

describe("curves of runs", () => {
  const runs = [
    { run: "a-1", series: [series("loss", [[1, 0.5, 1000], [0, 1, 0]])] },
    { run: "a-2", series: [series("loss", [[0, 2, 5000]]), series("accuracy", [[0, 0.1, 5000]])] },
  ];

  it("share a chart by their key, and a run keeps its colour in all of them", () => {
    const charts = chartsOf(runs, { axis: "step", weight: 0 });
    expect(charts.map((chart) => chart.key)).toEqual(["accuracy", "loss"]);
    expect(charts[0]?.series.map((one) => one.colour)).toEqual([1]);
    expect(charts[1]?.series.map((one) => one.colour)).toEqual([0, 1]);
  });

  it("of one point each are numbers", () => {
    const once = chartsOf([{ run: "a-1", series: [series("test/accuracy", [[0, 0.9, 0]])] }, { run: "a-2", series: [series("test/accuracy", [[0, 0.8, 0]])] }], { axis: "step", weight: 0 });
    expect(once.map(isOnce)).toEqual([true]);
    expect(chartsOf(runs, { axis: "step", weight: 0.9 }).map(isOnce)).toEqual([true, false]);
  });

  it("are in order along the axis", () => {
    expect(chartsOf(runs, { axis: "step", weight: 0 })[1]?.series[0]?.points).toEqual([[0, 1], [1, 0.5]]);
  });

  it("keep the measured values behind smoothed ones", () => {
    const [raw, smooth] = chartsOf(runs, { axis: "step", weight: 0.9 })[1]?.series ?? [];
    expect(raw?.isFaint).toBe(true);
    expect(smooth?.isFaint).toBeUndefined();
  });
});

describe("smoothing", () => {
  it("does not pull the beginning towards zero", () => {
    expect(smoothed([[0, 10], [1, 10]], 0.9).map(([, y]) => Math.round(y ?? 0))).toEqual([10, 10]);
  });

  it("leaves gaps as gaps, and everything alone when it is off", () => {
    expect(smoothed([[0, 1], [1, null], [2, 1]], 0.5)[1]).toEqual([1, null]);
    expect(smoothed([[0, 3]], 0)).toEqual([[0, 3]]);
  });
});

describe("a chart", () => {
  it("has round marks, of bytes in powers of two", () => {
    expect([0.3, 0.25, 1.7, 7, 0.0012].map((least) => stepOf(least))).toEqual([0.5, 0.25, 2, 10, 0.002]);
    expect(stepOf(600, "bytes")).toBe(1024);
  });

  it("is taken away as a table that no spreadsheet takes for formulas", () => {
    const csv = chartCsv([{ key: "a", name: "=cmd()", points: [[0, 1], [2, -3]] }, { key: "b", name: 'b,"c"', points: [[2, 4]] }], "number", "step");
    expect(csv.split("\n")).toEqual([`step,'=cmd(),"b,""c"""`, "0,1,", "2,-3,4"]);
  });
});
