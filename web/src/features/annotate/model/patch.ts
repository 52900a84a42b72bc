/**
 * What changed between two lists of annotations, annotation by annotation. Undoing applies the reverse to the list as it is
 * by then, so that what somebody else has added in the meantime stays.
 */
import type { Annotation } from "./types";

export interface Patch {
  /** By id: what it was (null: not there) and became, and where in the list it stood. */
  changes: { id: string; before: Annotation | null; after: Annotation | null; at: number }[];
  /** Ids of the whole list, when the order of what stayed has changed. */
  order: { before: string[]; after: string[] } | null;
}

export function diff(before: readonly Annotation[], after: readonly Annotation[]): Patch {
  if (haveSameIds(before, after)) return { changes: changedInPlace(before, after), order: null };
  const old = new Map(before.map((one) => [one.id, one]));
  const now = new Map(after.map((one) => [one.id, one]));
  const changes: Patch["changes"] = [];
  before.forEach((one, at) => {
    const next = now.get(one.id) ?? null;
    if (next !== one) changes.push({ id: one.id, before: one, after: next, at });
  });
  after.forEach((one, at) => {
    if (!old.has(one.id)) changes.push({ id: one.id, before: null, after: one, at });
  });
  const stayedBefore = before.filter((one) => now.has(one.id)).map((one) => one.id);
  const stayedAfter = after.filter((one) => old.has(one.id)).map((one) => one.id);
  const isReordered = stayedBefore.some((id, i) => id !== stayedAfter[i]);
  return { changes, order: isReordered ? { before: before.map((one) => one.id), after: after.map((one) => one.id) } : null };
}

/** The same annotations in the same order, whatever has become of them: one is moved, thousands stay. */
export function haveSameIds(before: readonly Annotation[], after: readonly Annotation[]): boolean {
  return before.length === after.length && before.every((one, at) => one === after[at] || one.id === after[at]?.id);
}

function changedInPlace(before: readonly Annotation[], after: readonly Annotation[]): Patch["changes"] {
  const changes: Patch["changes"] = [];
  before.forEach((one, at) => {
    const next = after[at];
    if (next && next !== one) changes.push({ id: one.id, before: one, after: next, at });
  });
  return changes;
}

export function isEmpty(patch: Patch): boolean {
  return patch.changes.length === 0 && patch.order === null;
}

export function reversed(patch: Patch): Patch {
  return {
    changes: patch.changes.map(({ id, before, after, at }) => ({ id, before: after, after: before, at })),
    order: patch.order && { before: patch.order.after, after: patch.order.before },
  };
}

export function applied(list: readonly Annotation[], patch: Patch): Annotation[] {
  const byId = new Map(patch.changes.map((change) => [change.id, change]));
  const there = new Set(list.map((one) => one.id));
  const result = list.flatMap((one) => {
    const change = byId.get(one.id);
    if (!change) return [one];
    return change.after ? [change.after] : [];
  });
  for (const { id, after, at } of [...patch.changes].sort((a, b) => a.at - b.at)) {
    if (after && !there.has(id)) result.splice(Math.min(at, result.length), 0, after);
  }
  return patch.order ? inOrder(result, patch.order.after) : result;
}

/** Listed ids in the listed order; others keep their distance from the end, where new ones are drawn on top. */
function inOrder(list: Annotation[], ids: string[]): Annotation[] {
  const rank = new Map(ids.map((id, i) => [id, i]));
  return list
    .map((one, i) => ({ one, rank: rank.get(one.id) ?? ids.length + i }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}
