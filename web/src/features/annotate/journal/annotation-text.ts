/** Annotations as JSON. Lists are written often (to the journal, as the base, to the server) and differ in a few: the rest is known. */
import type { Annotation } from "../model/types";

const lists = new WeakMap<readonly Annotation[], string>();
const texts = new WeakMap<Annotation, string>();

export function annotationsText(annotations: readonly Annotation[]): string {
  const known = lists.get(annotations) ?? `[${annotations.map(textOf).join(",")}]`;
  lists.set(annotations, known);
  return known;
}

function textOf(annotation: Annotation): string {
  const known = texts.get(annotation) ?? JSON.stringify(annotation);
  texts.set(annotation, known);
  return known;
}
