/** Which items are ticked: some by number, or all that the filter finds. */
import type { Chosen } from "../api";
import type { ItemFilter } from "../types";

export interface Choice {
  seqs: ReadonlySet<number>;
  isAll: boolean;
}

export const NOTHING: Choice = { seqs: new Set(), isAll: false };

/** Ticks or unticks one; with Shift everything between it and the one ticked before, in the order shown. */
export function toggled(choice: Choice, seq: number, shown: readonly number[], from: number | null): Choice {
  const next = new Set(choice.isAll ? shown : choice.seqs);
  if (from === null) {
    if (!next.delete(seq)) next.add(seq);
    return { seqs: next, isAll: false };
  }
  const [a, b] = [shown.indexOf(from), shown.indexOf(seq)].sort((x, y) => x - y) as [number, number];
  for (const one of shown.slice(Math.max(a, 0), b + 1)) next.add(one);
  return { seqs: next, isAll: false };
}

export function isTicked(choice: Choice, seq: number): boolean {
  return choice.isAll || choice.seqs.has(seq);
}

export function countOf(choice: Choice, total: number): number {
  return choice.isAll ? total : choice.seqs.size;
}

export function chosenBy(choice: Choice, filter: ItemFilter): Chosen {
  return choice.isAll ? { filter } : { seqs: [...choice.seqs] };
}
