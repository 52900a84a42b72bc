/** What the server measured as curves, one chart a figure. */
import type { ChartPoint, ChartSeries } from "@/ui/chart/types";
import type { MetricPoint, Series } from "../types";

export type Figure = "requests" | "p50" | "p90" | "p99" | "errors" | "inFlight" | "batch";

export const FIGURES: Record<Figure, (point: MetricPoint) => number | null> = {
  requests: (point) => point.requests_per_s,
  p50: (point) => point.p50_ms,
  p90: (point) => point.p90_ms,
  p99: (point) => point.p99_ms,
  errors: (point) => point.error_rate,
  inFlight: (point) => point.in_flight,
  batch: (point) => point.batch_size,
};

export const keyOf = (series: Series) => `${series.number ?? "all"}/${series.replica ?? ""}${series.is_shadow ? "/shadow" : ""}`;

/** What is drawn: each deployment, and each of its replicas where they are asked for; the whole only where it is all there is. */
export function drawn(series: readonly Series[], withReplicas: boolean): Series[] {
  const wanted = series.filter((one) => (one.number !== null && (one.replica === null) !== withReplicas));
  return wanted.length > 0 ? wanted : series.filter((one) => one.number === null && one.replica === null);
}

export function chartSeries(series: readonly Series[], figure: Figure, nameOf: (series: Series) => string): ChartSeries[] {
  const read = FIGURES[figure];
  return series.map((one, index) => ({ key: keyOf(one), name: nameOf(one), colour: index, points: one.points.map((point): ChartPoint => [Date.parse(point.at), read(point)]) }));
}

/** Whether it was ever measured: not every program tells its batches. */
export function hasFigure(series: readonly Series[], figure: Figure): boolean {
  return series.some((one) => one.points.some((point) => FIGURES[figure](point) !== null));
}

/** Nothing was asked of it in all that time. */
export function isQuiet(series: readonly Series[]): boolean {
  return series.every((one) => one.total.requests === 0);
}
