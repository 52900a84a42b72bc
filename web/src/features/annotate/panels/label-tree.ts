import type { Label } from "../model/types";

export interface LabelRow {
  label: Label;
  depth: 0 | 1;
  /** Can be given to something; a parent of others only groups them. */
  isLeaf: boolean;
}

/** Labels as they are listed: parents, each followed by its own. */
export function labelRows(labels: readonly Label[], search = ""): LabelRow[] {
  const wanted = search.trim().toLowerCase();
  const matches = (label: Label) => label.name.toLowerCase().includes(wanted);
  return labels
    .filter((label) => !label.parent)
    .flatMap((parent): LabelRow[] => {
      const children = labels.filter((label) => label.parent === parent.number);
      if (children.length === 0) return matches(parent) ? [{ label: parent, depth: 0, isLeaf: true }] : [];
      const shown = matches(parent) ? children : children.filter(matches);
      return shown.length > 0 ? [{ label: parent, depth: 0, isLeaf: false }, ...shown.map((label): LabelRow => ({ label, depth: 1, isLeaf: true }))] : [];
    });
}

export function leavesOf(labels: readonly Label[]): number[] {
  return labelRows(labels).filter((row) => row.isLeaf).map((row) => row.label.number);
}
