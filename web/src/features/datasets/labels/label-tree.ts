import type { LabelView } from "../types";

export interface LabelRow {
  label: LabelView;
  depth: 0 | 1;
}

/** Labels as they are listed: each of the first level followed by its own. */
export function labelTree(labels: readonly LabelView[]): LabelRow[] {
  const known = new Set(labels.map((label) => label.number));
  const isTop = (label: LabelView) => label.parent === null || !known.has(label.parent);
  return labels.filter(isTop).flatMap((top) => [{ label: top, depth: 0 as const }, ...labels.filter((label) => label.parent === top.number).map((label) => ({ label, depth: 1 as const }))]);
}
