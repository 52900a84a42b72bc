import type { ClassRow } from "./result";

/** The order people expect; what else a task has comes after. */
const ORDER = ["precision", "recall", "f1", "ap", "ap_50", "ap_75", "iou"];

/** The measures that any of the classes has. */
export function columnsOf(classes: readonly Pick<ClassRow, "values">[]): string[] {
  const names = new Set(classes.flatMap(({ values }) => Object.keys(values)));
  return [...ORDER.filter((name) => names.has(name)), ...[...names].filter((name) => !ORDER.includes(name)).sort()];
}
