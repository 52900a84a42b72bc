/** What stands over the columns of a comparison, and which of them is best. */
import type { EvaluationView } from "./types";

/** The models' names; where one was measured twice, with the threshold that tells them apart, or else a number. */
export function seriesNames(evaluations: readonly Pick<EvaluationView, "model" | "threshold" | "run">[]): string[] {
  const seen = new Map<string, number>();
  return evaluations.map(({ model, threshold }) => {
    const same = evaluations.filter((other) => other.model === model);
    if (same.length < 2) return model;
    if (threshold !== null && same.filter((other) => other.threshold === threshold).length === 1) return `${model} (≥ ${threshold})`;
    const number = (seen.get(model) ?? 0) + 1;
    seen.set(model, number);
    return `${model} (${number})`;
  });
}

/** The place of the best value; null where there is none, or all are the same. */
export function bestOf(values: readonly (number | null)[], isLower: boolean): number | null {
  const known = values.filter((value) => value !== null);
  if (new Set(known).size < 2) return null;
  return values.indexOf(isLower ? Math.min(...known) : Math.max(...known));
}
