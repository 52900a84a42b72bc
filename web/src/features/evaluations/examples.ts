/** Which of the worst examples are shown. */
import type { Example, NamedAnnotation } from "./result";

/** In a detector's confusion matrix: nothing is there, or nothing was found. */
export const BACKGROUND = "background";

export interface ExampleFilter {
  why: string | null;
  truth: string | null;
  predicted: string | null;
}

export function filtered(examples: readonly Example[], { why, truth, predicted }: ExampleFilter): Example[] {
  return examples.filter((one) => (why === null || one.why === why) && isAmong(truth, one.truth) && isAmong(predicted, one.predicted));
}

/** Why the examples are what they are, the commonest reason first. */
export function reasons(examples: readonly Example[]): string[] {
  const counts = new Map<string, number>();
  for (const { why } of examples) if (why) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([why]) => why);
}

/** Their labels, each once, with how often it is there and how sure the surest is. */
export function labelCounts(annotations: readonly NamedAnnotation[]): { label: string; count: number; score: number | null }[] {
  const found = new Map<string, { label: string; count: number; score: number | null }>();
  for (const { label, score } of annotations) {
    if (label === undefined) continue;
    const old = found.get(label);
    found.set(label, { label, count: (old?.count ?? 0) + 1, score: Math.max(old?.score ?? -1, score ?? -1) });
  }
  return [...found.values()].map((one) => ({ ...one, score: one.score !== null && one.score >= 0 ? one.score : null }));
}

/** The columns of a row that is kept as JSON; null for any other text. */
export function rowOf(text: string): [string, string][] | null {
  if (!text.startsWith("{")) return null;
  try {
    const row: unknown = JSON.parse(text);
    return typeof row === "object" && row !== null ? Object.entries(row).map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]) : null;
  } catch {
    return null; // cut off: shown as it is
  }
}

function isAmong(label: string | null, annotations: readonly NamedAnnotation[]): boolean {
  return label === null || label === BACKGROUND || annotations.some((one) => one.label === label);
}
