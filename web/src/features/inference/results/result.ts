/** What was said of an item, in words and shapes. It was written by a program, so nothing of it is taken on trust. */
import type { NamedAnnotation } from "@/features/evaluations/result";
import type { ResultView } from "../types";

export function annotationsOf(result: ResultView): NamedAnnotation[] {
  return result.annotations.filter((one) => typeof one.type === "string") as unknown as NamedAnnotation[];
}

export interface Probability {
  label: string;
  share: number;
}

/** The likeliest first. */
export function probabilitiesOf(result: ResultView, most = 10): Probability[] {
  return Object.entries(result.probabilities ?? {})
    .map(([label, share]) => ({ label, share }))
    .sort((a, b) => b.share - a.share)
    .slice(0, most);
}

/** Filters of the page, as they stand in its address. */
export interface ResultFilter {
  label?: string;
  min_score?: number;
  max_score?: number;
  q?: string;
  sort?: "seq" | "-seq" | "score" | "-score";
}

const SORTS = ["seq", "-seq", "score", "-score"] as const;

export function readFilter(params: URLSearchParams): ResultFilter {
  const sort = SORTS.find((one) => one === params.get("sort"));
  return { label: params.get("label") ?? undefined, min_score: share(params.get("min")), max_score: share(params.get("max")), q: params.get("q") ?? undefined, sort };
}

export function isNarrowed({ label, min_score, max_score, q }: ResultFilter): boolean {
  return [label, min_score, max_score, q].some((one) => one !== undefined);
}

function share(text: string | null): number | undefined {
  const value = Number(text);
  return text !== null && text !== "" && value >= 0 && value <= 1 ? value : undefined;
}
