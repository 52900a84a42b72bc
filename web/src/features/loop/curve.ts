/** Quality against labels, as a curve. */
import type { ChartPoint } from "@/ui/chart/types";
import type { CurvePoint, Loop } from "./types";

export interface Measured extends CurvePoint {
  value: number;
}

/** Models measured by the same figure, by how many labels they had; of several with as many, all. */
export function measured({ curve, primary }: Pick<Loop, "curve" | "primary">): Measured[] {
  return curve
    .filter((point): point is Measured => point.value !== null && (primary === null || point.metric === null || point.metric === primary))
    .sort((a, b) => a.labelled - b.labelled || a.created_at.localeCompare(b.created_at));
}

/** The best at each number of labels: what a curve can go through. */
export function bestAtEach(points: readonly Measured[], isLowerBetter: boolean): ChartPoint[] {
  const best = new Map<number, number>();
  for (const { labelled, value } of points) {
    const known = best.get(labelled);
    if (known === undefined || (isLowerBetter ? value < known : value > known)) best.set(labelled, value);
  }
  return [...best];
}

/** What the newest model gained over the one before it; null where there is nothing to compare. */
export function gainOf(points: readonly CurvePoint[]): number | null {
  const known = points.filter((point): point is Measured => point.value !== null).sort((a, b) => a.created_at.localeCompare(b.created_at));
  const [newest, before] = [known.at(-1), known.at(-2)];
  return newest && before ? newest.value - before.value : null;
}
