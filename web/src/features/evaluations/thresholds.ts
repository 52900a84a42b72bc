/** What precision and recall are when only what is at least so sure counts. */
import type { ThresholdRow } from "./result";

/** The row nearest to a threshold; rows may be in any order. */
export function rowAt(rows: readonly ThresholdRow[], threshold: number): ThresholdRow | null {
  return rows.reduce<ThresholdRow | null>((nearest, row) => (nearest === null || Math.abs(row.threshold - threshold) < Math.abs(nearest.threshold - threshold) ? row : nearest), null);
}

/** Where F1 is highest; the lowest threshold of several. */
export function bestRow(rows: readonly ThresholdRow[]): ThresholdRow | null {
  return [...rows].sort((a, b) => a.threshold - b.threshold).reduce<ThresholdRow | null>((best, row) => (best === null || row.f1 > best.f1 ? row : best), null);
}
