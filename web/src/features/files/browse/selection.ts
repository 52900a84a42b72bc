/** Which rows are ticked and which one has the keyboard. Rows are named by their path; `order` is how they are shown. */
export interface Selection {
  ticked: ReadonlySet<string>;
  focus: string | null;
  /** Where a range with Shift starts. */
  anchor: string | null;
}

export const NOTHING: Selection = { ticked: new Set(), focus: null, anchor: null };

export function toggle(selection: Selection, path: string): Selection {
  const ticked = new Set(selection.ticked);
  if (!ticked.delete(path)) ticked.add(path);
  return { ticked, focus: path, anchor: path };
}

export function focusOn(selection: Selection, path: string): Selection {
  return { ...selection, focus: path, anchor: path };
}

export function extendTo(selection: Selection, order: string[], path: string): Selection {
  const from = order.indexOf(selection.anchor ?? selection.focus ?? path);
  const to = order.indexOf(path);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ticked: new Set([...selection.ticked, ...range]), focus: path, anchor: selection.anchor ?? path };
}

/** Moves the keyboard by `step` rows; with `isExtending` the rows passed are ticked. */
export function step(selection: Selection, order: string[], by: number, isExtending: boolean): Selection {
  if (order.length === 0) return selection;
  const at = selection.focus === null ? -1 : order.indexOf(selection.focus);
  const next = order[Math.min(order.length - 1, Math.max(0, at + by))];
  if (next === undefined) return selection;
  return isExtending ? extendTo(selection, order, next) : focusOn(selection, next);
}

export function tickAll(selection: Selection, order: string[]): Selection {
  return { ...selection, ticked: new Set(order) };
}

/** Rows that are gone are no longer ticked. */
export function keepOnly(selection: Selection, order: string[]): Selection {
  const known = new Set(order);
  const ticked = new Set([...selection.ticked].filter((path) => known.has(path)));
  const focus = selection.focus !== null && known.has(selection.focus) ? selection.focus : null;
  return { ticked, focus, anchor: focus };
}

/** What an action is about: the ticked rows, or else the one with the keyboard. */
export function actedOn(selection: Selection): string[] {
  if (selection.ticked.size > 0) return [...selection.ticked];
  return selection.focus === null ? [] : [selection.focus];
}
