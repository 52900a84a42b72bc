/** Samples of use as curves. A time without samples is a gap, not a straight line over it. */
import type { TFunction } from "i18next";
import type { ChartPoint, ChartSeries } from "@/ui/chart/types";
import type { UsagePoint } from "./types";

/** Samples this many times further apart than usual have a gap between them. */
const GAP = 4;

export function usageSeries(points: UsagePoint[], t: TFunction<"workloads">) {
  const curve = (key: keyof UsagePoint, name: string): ChartSeries => ({ key, name, points: withGaps(points.map((point) => [time(point), measuredValue(point[key])])) });
  return {
    cpus: [curve("cpus", t("usage.cpu"))],
    memory: [curve("memory_bytes", t("usage.memory"))],
    network: [curve("net_read_bytes_s", t("usage.received")), curve("net_write_bytes_s", t("usage.sent"))],
    disk: [curve("disk_read_bytes_s", t("usage.read")), curve("disk_write_bytes_s", t("usage.written"))],
  };
}

export function deviceSeries(points: UsagePoint[]): { busy: ChartSeries[]; memory: ChartSeries[] } {
  const ids = [...new Set(points.flatMap((point) => Object.keys(point.devices)))].sort();
  const curve = (id: string, key: "busy" | "memory_bytes"): ChartSeries => ({ key: id, name: id, points: withGaps(points.map((point) => [time(point), point.devices[id]?.[key] ?? null])) });
  return { busy: ids.map((id) => curve(id, "busy")).filter(isMeasured), memory: ids.map((id) => curve(id, "memory_bytes")).filter(isMeasured) };
}

export function isMeasured(series: ChartSeries): boolean {
  return series.points.some(([, value]) => value !== null);
}

export function withGaps(points: ChartPoint[]): ChartPoint[] {
  const steps = points.slice(1).map(([x], index) => x - (points[index]?.[0] ?? x));
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  return points.flatMap((point, index): ChartPoint[] => {
    const before = points[index - 1];
    const isGap = before !== undefined && usual > 0 && point[0] - before[0] > usual * GAP;
    return isGap ? [[before[0] + usual, null], point] : [point];
  });
}

/** What was not measured is no zero. */
function measuredValue(value: UsagePoint[keyof UsagePoint]): number | null {
  return typeof value === "number" ? value : null;
}

function time(point: UsagePoint): number {
  return new Date(point.at).getTime();
}
