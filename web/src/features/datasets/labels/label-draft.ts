/** A label as it is edited: of a version or of a set alike; the parent is named. */
import type { LabelAttribute, LabelPatch, LabelPut, LabelView, Skeleton } from "../types";

export interface LabelDraft {
  /** Of a version's label that is there already. */
  number?: number;
  name: string;
  parent: string | null;
  colour: string | null;
  shortcut: string | null;
  attributes: LabelAttribute[];
  skeleton: Skeleton | null;
  /** How often it is used; unknown in a set. */
  annotations?: number;
}

export function draftsOf(labels: readonly LabelView[]): LabelDraft[] {
  const names = new Map(labels.map((label) => [label.number, label.name]));
  return labels.map(({ number, name, parent, colour, shortcut, attributes, skeleton, annotations }) => ({
    number,
    name,
    parent: parent === null ? null : (names.get(parent) ?? null),
    colour,
    shortcut,
    attributes,
    skeleton,
    annotations,
  }));
}

export function putOf({ number, name, parent, colour, shortcut, attributes, skeleton }: LabelDraft): LabelPut {
  return { ...(number === undefined ? {} : { number }), name, parent_name: parent, colour, shortcut, attributes, skeleton };
}

export interface DraftRow {
  draft: LabelDraft;
  depth: 0 | 1;
}

/** As they are listed: each of the first level followed by its own. */
export function draftTree(drafts: readonly LabelDraft[]): DraftRow[] {
  const tops = drafts.filter((draft) => draft.parent === null);
  return tops.flatMap((top) => [{ draft: top, depth: 0 as const }, ...drafts.filter((draft) => draft.parent === top.name).map((draft) => ({ draft, depth: 1 as const }))]);
}

/** The same label: names are unique among those of one parent. */
export function isSame(a: LabelDraft, b: Pick<LabelDraft, "name" | "parent">): boolean {
  return a.name === b.name && a.parent === b.parent;
}

/** The list with one changed; what is under it follows a new name. */
export function withChanged(drafts: readonly LabelDraft[], old: LabelDraft, next: LabelDraft): LabelDraft[] {
  return drafts.map((draft) => {
    if (isSame(draft, old)) return { ...draft, ...next };
    return old.parent === null && draft.parent === old.name ? { ...draft, parent: next.name } : draft;
  });
}

/** What changes of one label, for the server; what somebody else does to the others meanwhile stays as it is. */
export function patchOf({ name, parent, colour, shortcut, attributes, skeleton }: LabelDraft, among: readonly LabelDraft[]): LabelPatch {
  const above = parent === null ? undefined : among.find((draft) => isSame(draft, { name: parent, parent: null }));
  return { name, parent: above?.number ?? null, colour, shortcut, attributes, skeleton };
}

/** Where it goes in the whole list to change places with the next or the last of the same parent; null at an end. */
export function placeAfterMove(drafts: readonly LabelDraft[], moved: LabelDraft, by: 1 | -1): number | null {
  const siblings = drafts.filter((draft) => draft.parent === moved.parent);
  const other = siblings[siblings.findIndex((draft) => isSame(draft, moved)) + by];
  return other ? drafts.indexOf(other) : null;
}

/** The list with one taken to another place. */
export function withMoved(drafts: readonly LabelDraft[], moved: LabelDraft, place: number): LabelDraft[] {
  const others = drafts.filter((draft) => !isSame(draft, moved));
  return [...others.slice(0, place), moved, ...others.slice(place)];
}

/** One label a line, `vehicle/car` for one below another; parents come before what is under them. */
export function parseNames(text: string): { name: string; parent: string | null }[] {
  const found = new Map<string, { name: string; parent: string | null }>();
  const add = (name: string, parent: string | null) => found.set(JSON.stringify([parent, name]), { name, parent });
  for (const line of text.split(/\r?\n/)) {
    const [first = "", ...rest] = line.split("/").map((part) => part.trim());
    const second = rest.join("/");
    if (first === "") continue;
    add(first, null);
    if (second !== "") add(second, first);
  }
  return [...found.values()];
}
