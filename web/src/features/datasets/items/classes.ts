import type { ItemView, LabelView } from "../types";

/** Which labels an item carries and how often, the most frequent first. */
export function classesOf(item: Pick<ItemView, "annotations">, labels: ReadonlyMap<number, LabelView>): { label: LabelView; count: number }[] {
  const counts = new Map<number, number>();
  for (const { label } of item.annotations ?? []) if (typeof label === "number") counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .flatMap(([number, count]) => {
      const label = labels.get(number);
      return label ? [{ label, count }] : [];
    })
    .sort((a, b) => b.count - a.count);
}
