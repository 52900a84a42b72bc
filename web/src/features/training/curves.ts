/** The curves of several runs, one chart for each key, each run in its own colour throughout. */
import type { ChartPoint, ChartSeries } from "@/ui/chart/types";
import { byInterest } from "./metric-order";
import { smoothed } from "./smoothing";
import type { MetricPoint, Series } from "./types";

export type XAxis = "step" | "time" | "relative";

export interface RunCurves {
  run: string;
  series: Series[];
}

export interface KeyChart {
  key: string;
  series: ChartSeries[];
}

export function chartsOf(runs: RunCurves[], { axis, weight }: { axis: XAxis; weight: number }): KeyChart[] {
  const keys = [...new Set(runs.flatMap((run) => run.series.map((one) => one.key)))].sort((a, b) => a.localeCompare(b));
  return byInterest(keys).map((key) => ({ key, series: runs.flatMap((run, index) => seriesOf(run, key, index, axis, weight)) }));
}

/** One point is no curve: it is told as a number. */
export function isOnce({ series }: KeyChart): boolean {
  return series.length > 0 && series.every((one) => one.points.length === 1);
}

function seriesOf({ run, series }: RunCurves, key: string, colour: number, axis: XAxis, weight: number): ChartSeries[] {
  const found = series.find((one) => one.key === key);
  if (!found) return [];
  const raw = placed(found.points, axis);
  const curve: ChartSeries = { key: run, name: run, colour, points: smoothed(raw, weight) };
  return weight > 0 ? [{ key: `${run} raw`, name: run, colour, points: raw, isFaint: true }, curve] : [curve];
}

function placed(points: MetricPoint[], axis: XAxis): ChartPoint[] {
  const first = points[0]?.[2] ?? 0;
  const place = ([step, , at]: MetricPoint): number => {
    if (axis === "step") return step ?? 0;
    return axis === "time" ? (at ?? 0) : ((at ?? 0) - first) / 1000;
  };
  return points.map((point): ChartPoint => [place(point), point[1] ?? null]).sort((a, b) => a[0] - b[0]);
}
