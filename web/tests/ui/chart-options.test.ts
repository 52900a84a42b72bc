import { describe, expect, it } from "vitest";
import { chartColours } from "@/theme/tokens";
import { chartOptions, lonePoints } from "@/ui/chart/options";
import type { ChartPoint, ChartProps } from "@/ui/chart/types";

const AT = Date.UTC(2026, 0, 1);

function options(points: ChartPoint[], more: Partial<ChartProps> = {}) {
  const props: ChartProps = { label: "figure", series: [{ key: "a", name: "a", points }], x: "time", formatValue: String, ...more };
  return chartOptions(props, chartColours("light"), true) as unknown as {
    xAxis: { min: number | string; max: number | string };
    yAxis: { min: number; max: number; interval: number };
    series: { showSymbol: boolean; symbolSize: number | ((value: unknown, at: { dataIndex: number }) => number) }[];
  };
}

describe("a chart", () => {
  it("shows points that have a gap on both sides, for no line leads to them", () => {
    const points: ChartPoint[] = [[1, 5], [2, null], [3, 6], [4, null], [5, 7], [6, 8]];
    expect([...lonePoints(points)]).toEqual([0, 2]);
    const [line] = options(points).series;
    const size = line?.symbolSize;
    expect(line?.showSymbol).toBe(true);
    expect(typeof size === "function" && points.map((_, dataIndex) => size(null, { dataIndex }) > 0)).toEqual([true, false, true, false, false, false]);
  });

  it("of whole curves has no dots", () => {
    expect(options([[1, 5], [2, 6], [3, 7]]).series[0]?.showSymbol).toBe(false);
  });

  it("of a moment shows a minute, not days", () => {
    expect(options([[AT, 1]]).xAxis).toMatchObject({ min: AT - 30_000, max: AT + 30_000 });
    expect(options([[AT, 1], [AT + 120_000, 1]]).xAxis).toMatchObject({ min: "dataMin", max: "dataMax" });
    expect(options([]).xAxis.min).toBe("dataMin");
  });

  it("has an axis with marks where everything is zero", () => {
    expect(options([[1, 0], [2, 0], [3, 0]], { limit: null }).yAxis).toEqual(expect.objectContaining({ min: 0, max: 1, interval: 0.25 }));
    expect(options([[1, 0], [2, 0], [3, 0]], { limit: null, atLeast: 4 }).yAxis).toEqual(expect.objectContaining({ max: 4, interval: 1 }));
  });
});
