/** Which labels of a confusion matrix are shown, and how strongly each cell is painted. */
import type { Confusion } from "./result";

/** Of so many labels a cell can still be read; of more, those that are mistaken most. */
export const SHOWN_MAX = 20;

/** Places of the labels to show, in their order. */
export function shownPlaces({ counts }: Confusion, most: number): number[] {
  const all = counts.map((_row, place) => place);
  if (all.length <= most) return all;
  const mistakes = all.map((place) => sum(counts[place] ?? []) + sum(counts.map((row) => row[place] ?? 0)) - 2 * (counts[place]?.[place] ?? 0));
  return [...all]
    .sort((a, b) => (mistakes[b] ?? 0) - (mistakes[a] ?? 0) || a - b)
    .slice(0, most)
    .sort((a, b) => a - b);
}

/** Of all that truly is the row's label. */
export function shareOfRow({ counts }: Confusion, row: number, column: number): number {
  const all = sum(counts[row] ?? []);
  return all === 0 ? 0 : (counts[row]?.[column] ?? 0) / all;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
