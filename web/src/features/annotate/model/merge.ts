/** Two people changed one item: what only one of them touched is taken; what both touched differently is asked about. */
import type { Annotation } from "./types";

export interface Clash {
  id: string;
  /** Null: deleted. */
  mine: Annotation | null;
  theirs: Annotation | null;
}

export interface Merge {
  /** With their side of every clash, so that nothing of theirs is lost whatever is chosen later. */
  merged: Annotation[];
  clashes: Clash[];
}

export function merge(base: readonly Annotation[], mine: readonly Annotation[], theirs: readonly Annotation[]): Merge {
  const [b, m, t] = [byId(base), byId(mine), byId(theirs)];
  const clashes: Clash[] = [];
  const settle = (id: string): Annotation | null => {
    const [was, my, their] = [b.get(id) ?? null, m.get(id) ?? null, t.get(id) ?? null];
    if (isSame(my, their) || isSame(my, was)) return their;
    if (isSame(their, was)) return my;
    clashes.push({ id, mine: my, theirs: their });
    return their;
  };
  const ids = [...theirs.map((one) => one.id), ...mine.map((one) => one.id).filter((id) => !t.has(id))];
  const gone = base.map((one) => one.id).filter((id) => !t.has(id) && !m.has(id));
  const merged = ids.map(settle).filter((one) => one !== null);
  gone.forEach(settle);
  return { merged: orderedAsMine(merged, base, mine, theirs), clashes };
}

export type Choice = "mine" | "theirs" | "both";

/** The list after the user has decided each clash. "Both" keeps mine under a new id beside theirs. */
export function resolved(merged: readonly Annotation[], clashes: readonly Clash[], choices: Record<string, Choice>, newId: () => string): Annotation[] {
  const byClash = new Map(clashes.map((clash) => [clash.id, clash]));
  const result = merged.flatMap((one) => {
    const clash = byClash.get(one.id);
    if (!clash) return [one];
    byClash.delete(one.id);
    return chosen(clash, choices[clash.id] ?? "theirs", newId);
  });
  return [...result, ...[...byClash.values()].flatMap((clash) => chosen(clash, choices[clash.id] ?? "theirs", newId))];
}

function chosen(clash: Clash, choice: Choice, newId: () => string): Annotation[] {
  const { mine, theirs } = clash;
  if (choice === "mine") return mine ? [mine] : [];
  if (choice === "theirs" || !mine) return theirs ? [theirs] : [];
  return theirs ? [theirs, { ...mine, id: newId() }] : [mine];
}

/** Reordering is rare and harmless: mine wins when they did not reorder. */
function orderedAsMine(merged: Annotation[], base: readonly Annotation[], mine: readonly Annotation[], theirs: readonly Annotation[]): Annotation[] {
  const ids = (list: readonly Annotation[], others: readonly Annotation[]) => {
    const shared = new Set(others.map((one) => one.id));
    return list.filter((one) => shared.has(one.id)).map((one) => one.id);
  };
  const theyMoved = ids(base, theirs).join() !== ids(theirs, base).join();
  const iMoved = ids(base, mine).join() !== ids(mine, base).join();
  if (theyMoved || !iMoved) return merged;
  const rank = new Map(mine.map((one, i) => [one.id, i]));
  return [...merged].sort((a, b) => (rank.get(a.id) ?? mine.length) - (rank.get(b.id) ?? mine.length));
}

function byId(list: readonly Annotation[]): Map<string, Annotation> {
  return new Map(list.map((one) => [one.id, one]));
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => isSame(one, b[i]));
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => isSame(left[key], right[key]));
}
