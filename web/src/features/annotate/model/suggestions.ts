/** What a model has proposed and nobody has decided about yet. Computed frames of a track are none: they carry no score. */
import { omit } from "./omit";
import type { Annotation, ItemState } from "./types";

export type Verdict = "accept" | "reject";

export function isSuggestion(annotation: Annotation): boolean {
  return annotation.auto === true && annotation.score !== undefined;
}

export function suggestionsIn(annotations: readonly Annotation[]): Annotation[] {
  return annotations.filter(isSuggestion);
}

/** The list after these suggestions, or all, were decided about. What was accepted still tells where it came from. */
export function decided(annotations: readonly Annotation[], verdict: Verdict, ids?: ReadonlySet<string>): Annotation[] {
  return annotations.flatMap((one) => {
    if (!isSuggestion(one) || (ids && !ids.has(one.id))) return [one];
    return verdict === "accept" ? [approved(one)] : [];
  });
}

/** Somebody stands by it now: how sure the model was says nothing any more. */
function approved(annotation: Annotation): Annotation {
  return omit(omit(annotation, "auto"), "score") as Annotation;
}

/** What a person has changed or copied is theirs: it is no suggestion any more. */
export function taken(before: readonly Annotation[], after: readonly Annotation[]): readonly Annotation[] {
  if (!after.some(isSuggestion)) return after;
  const untouched = new Set(before);
  return after.map((one) => (isSuggestion(one) && !untouched.has(one) ? approved(one) : one));
}

/** The state of an item that a model had looked at, after a change: suggested until everything is decided. Null: as ever. */
export function stateAfter(before: ItemState, after: readonly Annotation[]): ItemState | null {
  if (before !== "suggested") return null;
  if (after.some(isSuggestion)) return "suggested";
  return after.length > 0 ? "labelled" : "unlabelled";
}

/** The suggestion to look at after some were decided: the next in the list, else the first that is left. */
export function nextSuggestion(before: readonly Annotation[], after: readonly Annotation[], decidedIds: ReadonlySet<string>): Annotation | null {
  const left = suggestionsIn(after);
  const last = before.findLastIndex((one) => decidedIds.has(one.id));
  const behind = new Set(before.slice(last + 1).map((one) => one.id));
  return left.find((one) => behind.has(one.id)) ?? left[0] ?? null;
}

/** How sure the model was of the least certain thing it proposed, 0 to 1; null where it proposed nothing. */
export function leastScore(annotations: readonly Annotation[]): number | null {
  const scores = suggestionsIn(annotations).map((one) => one.score ?? 0);
  return scores.length > 0 ? Math.min(...scores) : null;
}

/** How sure the model is of an item: as it said of the whole, else of the least certain thing it proposed. Null: nothing to say. */
export function certaintyOf(item: { state: ItemState; uncertainty?: number | null }, annotations: readonly Annotation[]): number | null {
  if (typeof item.uncertainty === "number") return 1 - item.uncertainty;
  return item.state === "suggested" ? leastScore(annotations) : null;
}
