import { describe, expect, it } from "vitest";
import { chosenBy, countOf, isTicked, NOTHING, toggled } from "@/features/datasets/items/choice";
import { classesOf } from "@/features/datasets/items/classes";
import { filterIn } from "@/features/datasets/items/item-filter";
import { shapePath } from "@/features/annotate/model/shape-path";
import type { LabelView } from "@/features/datasets/types";

const label = (number: number, name: string): LabelView => ({ number, name, parent: null, colour: "#112233", shortcut: null, attributes: [], skeleton: null, items: 0, annotations: 0 });

describe("what items are narrowed by", () => {
  it("is read from the address, and what makes no sense is left out", () => {
    expect(filterIn(new URLSearchParams("state=rework&label=3&annotator=lin&q=a%2Fb"))).toEqual({ state: "rework", label: 3, annotator: "lin", q: "a/b" });
    expect(filterIn(new URLSearchParams("state=lost&label=x&label=-1&q="))).toEqual({});
  });
});

describe("ticked items", () => {
  const shown = [2, 5, 7, 9];

  it("are ticked and unticked one by one", () => {
    const one = toggled(NOTHING, 5, shown, null);
    expect(chosenBy(one, {})).toEqual({ seqs: [5] });
    expect(countOf(toggled(one, 5, shown, null), 4)).toBe(0);
  });

  it("are ticked as a range, in either direction", () => {
    const from = toggled(NOTHING, 9, shown, null);
    expect([...toggled(from, 5, shown, 9).seqs].sort()).toEqual([5, 7, 9]);
    expect([...toggled(NOTHING, 7, shown, 2).seqs]).toEqual([2, 5, 7]);
  });

  it("can be all that the filter finds, until one of them is unticked", () => {
    const all = { seqs: new Set<number>(), isAll: true };
    expect(isTicked(all, 1234)).toBe(true);
    expect(countOf(all, 1_000_000)).toBe(1_000_000);
    expect(chosenBy(all, { state: "aside" })).toEqual({ filter: { state: "aside" } });
    expect([...toggled(all, 5, shown, null).seqs]).toEqual([2, 7, 9]);
  });
});

describe("an item's classes", () => {
  it("are counted, the most frequent first; labels that are gone are left out", () => {
    const labels = new Map([1, 2].map((number) => [number, label(number, `class ${number}`)]));
    const annotations = [1, 2, 2, 9, undefined].map((number, id) => ({ id: String(id), type: "class" as const, label: number }));
    expect(classesOf({ annotations: annotations as never }, labels).map(({ label: { number }, count }) => [number, count])).toEqual([
      [2, 2],
      [1, 1],
    ]);
  });
});

describe("a shape's outline", () => {
  it.each([
    [{ id: "a", type: "box", x: 1, y: 2, w: 3, h: 4 } as const, "M1 2 4 2 4 6 1 6Z"],
    [{ id: "a", type: "polygon", rings: [[0, 0, 4, 0, 4, 4]] } as const, "M0 0 4 0 4 4Z"],
    [{ id: "a", type: "polyline", points: [0, 0, 4, 0] } as const, "M0 0 4 0"],
  ])("is drawn in the picture's own pixels", (shape, path) => {
    expect(shapePath(shape as never)).toBe(path);
  });

  it("joins keypoints that are there, and leaves out those that are not", () => {
    const shape = { id: "a", type: "keypoints" as const, points: [[1, 1, 2], [5, 5, 1], [9, 9, 0]] as [number, number, number][] };
    expect(shapePath(shape, { edges: [[0, 1], [1, 2]] })).toBe("M1 1L5 5M1 1h0.01M5 5h0.01");
  });
});
