/** What stands over the columns of a comparison, and which of them is best. */
import type { EvaluationView } from "./types";

/** The models' names; where one was measured twice, with the threshold or a number that tells them apart. */
export function seriesNames(evaluations: readonly Pick<EvaluationView, "model" | "threshold" | "run">[]): string[] {
  const counts = new Map<string, number>();
  for (const { model } of evaluations) counts.set(model, (counts.get(model) ?? 0) + 1);
  const seen = new Map<string, number>();
  return evaluations.map(({ model }) => {
    if ((counts.get(model) ?? 0) < 2) return model;
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
