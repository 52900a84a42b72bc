import { useTranslation } from "react-i18next";
import { withGaps } from "@/features/workloads/usage-series";
import { useFormat } from "@/lib/format";
import type { ChartPoint } from "@/ui/chart/types";
import type { UsageCurves } from "./types";

/** Names and amounts of resources in words. An accelerator goes by the name of its kind. */
export function useResourceText() {
  const { t } = useTranslation("overview");
  const format = useFormat();
  return {
    name: (name: string) => (name === "cpu" || name === "memory" ? t(`resource.${name}`) : name),
    amount: (name: string, value: number) => (name === "memory" ? format.bytes(value) : format.decimal(value, 2)),
  };
}

export interface ResourceCurve {
  name: string;
  points: ChartPoint[];
  /** As it is now. */
  capacity: number;
}

export function curvesOf({ points }: UsageCurves): ResourceCurve[] {
  const names = [...new Set(points.flatMap((point) => Object.keys(point.resources)))].sort(inOrder);
  return names.map((name) => ({
    name,
    points: withGaps(points.map((point): ChartPoint => [new Date(point.at).getTime(), point.resources[name]?.used ?? null])),
    capacity: points.at(-1)?.resources[name]?.capacity ?? 0,
  }));
}

const FIRST = ["cpu", "memory"];

function inOrder(a: string, b: string): number {
  const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return place(a) - place(b) || a.localeCompare(b);
}
