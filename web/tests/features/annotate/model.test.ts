import { describe, expect, it } from "vitest";
import { boundsOf, corners, isInPolygon, moved, simplified } from "@/features/annotate/model/geometry";
import { merge, resolved } from "@/features/annotate/model/merge";
import { applied, diff, reversed } from "@/features/annotate/model/patch";
import { decodeMask, encodeMask, maskExtent, packCounts, trimmed, unpackCounts } from "@/features/annotate/model/rle";
import { interpolated } from "@/features/annotate/model/tracks";
import type { Annotation, Box, Shape } from "@/features/annotate/model/types";

const box = (id: string, x = 0, fields: Partial<Box> = {}): Box => ({ id, type: "box", label: 1, x, y: 0, w: 10, h: 10, ...fields });
const ids = (list: readonly Annotation[]) => list.map((one) => one.id).join("");

/** Numbers that look random and are the same every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

describe("masks", () => {
  it("are packed as pycocotools packs them", () => {
    // mask.encode of a 4×4 picture with a 2×2 square in the middle, and of one that is full.
    expect(packCounts([5, 2, 2, 2, 5])).toBe("52203");
    expect(unpackCounts("52203")).toEqual([5, 2, 2, 2, 5]);
    const square = { x: 1, y: 1, w: 2, h: 2, data: new Uint8Array([1, 1, 1, 1]) };
    expect(encodeMask(square, 4, 4)).toEqual({ size: [4, 4], rle: "52203" });
    // Two squares in a picture of five by seven, one of them at the bottom.
    const two = { x: 1, y: 0, w: 6, h: 5, data: new Uint8Array(30) };
    for (let y = 0; y < 5; y++) for (let x = 0; x < 6; x++) two.data[y * 6 + x] = (y >= 2 && x < 2) || (y < 2 && x >= 3) ? 1 : 0;
    expect(encodeMask(two, 5, 7).rle).toBe("73203ON0000");
    expect(encodeMask({ x: 0, y: 0, w: 2, h: 2, data: new Uint8Array(4).fill(1) }, 2, 2).rle).toBe(packCounts([0, 4]));
    expect(encodeMask({ x: 0, y: 0, w: 0, h: 0, data: new Uint8Array(0) }, 3, 2).rle).toBe(packCounts([6]));
  });

  it("come back as they were, wherever they lie", () => {
    const next = random(7);
    for (let round = 0; round < 200; round++) {
      const [height, width] = [1 + Math.floor(next() * 30), 1 + Math.floor(next() * 30)];
      const w = 1 + Math.floor(next() * width);
      const h = 1 + Math.floor(next() * height);
      const window = trimmed({ x: Math.floor(next() * (width - w + 1)), y: Math.floor(next() * (height - h + 1)), w, h, data: Uint8Array.from({ length: w * h }, () => (next() > 0.5 ? 1 : 0)) });
      const packed = encodeMask(window, height, width);
      const runs = unpackCounts(packed.rle);
      expect(runs.reduce((sum, run) => sum + run, 0)).toBe(height * width);
      expect(trimmed(decodeMask(packed))).toEqual(window);
      expect(maskExtent(packed).area).toBe(window.data.reduce((sum, value) => sum + value, 0));
    }
  });
});

describe("patches", () => {
  const before: Annotation[] = [box("a"), box("b"), box("c")];

  it("undo what was done and leave alone what came in between", () => {
    const after = [box("x"), before[0] as Box, before[2] as Box];
    const patch = diff(before, after);
    expect(applied(before, patch)).toEqual(after);
    const meanwhile = [...after, box("z")];
    expect(ids(applied(meanwhile, reversed(patch)))).toBe("abcz");
  });

  it("name only the one that was changed among those that stayed", () => {
    const moved = { ...(before[1] as Box), x: 99 };
    const patch = diff(before, [before[0] as Box, moved, before[2] as Box]);
    expect(patch).toEqual({ changes: [{ id: "b", before: before[1], after: moved, at: 1 }], order: null });
    expect(diff(before, [...before])).toEqual({ changes: [], order: null });
  });

  it("remember the order", () => {
    const after = [before[2], before[0], before[1]] as Annotation[];
    const patch = diff(before, after);
    expect(patch.changes).toEqual([]);
    expect(ids(applied(before, patch))).toBe("cab");
    expect(ids(applied(after, reversed(patch)))).toBe("abc");
  });
});

describe("merging", () => {
  const base = [box("a"), box("b"), box("c")];

  it("takes what only one has touched", () => {
    const mine = [box("a", 5), box("b"), box("m")];
    const theirs = [box("a"), box("b", 9), box("c"), box("t")];
    const { merged, clashes } = merge(base, mine, theirs);
    expect(clashes).toEqual([]);
    expect(Object.fromEntries(merged.map((one) => [one.id, (one as Box).x]))).toEqual({ a: 5, b: 9, t: 0, m: 0 });
  });

  it("asks where both changed the same, also when one deleted it", () => {
    const { merged, clashes } = merge(base, [box("a", 1), box("c")], [box("a", 2), box("b", 3), box("c")]);
    expect(clashes.map(({ id, mine, theirs }) => [id, (mine as Box | null)?.x ?? null, (theirs as Box | null)?.x ?? null])).toEqual([["a", 1, 2], ["b", null, 3]]);
    expect(merged.map((one) => (one as Box).x)).toEqual([2, 3, 0]);
    const chosen = resolved(merged, clashes, { a: "both", b: "mine" }, () => "new");
    expect(chosen.map((one) => [one.id, (one as Box).x])).toEqual([["a", 2], ["new", 1], ["c", 0]]);
  });

  it("brings back mine when they deleted it and I chose mine", () => {
    const { merged, clashes } = merge(base, [box("a", 1), box("b"), box("c")], [box("b"), box("c")]);
    expect(clashes).toHaveLength(1);
    expect(ids(resolved(merged, clashes, { a: "mine" }, () => "n"))).toBe("bca");
    expect(ids(resolved(merged, clashes, { a: "theirs" }, () => "n"))).toBe("bc");
  });

  it("is no clash when both did the same", () => {
    expect(merge(base, [box("a", 1)], [box("a", 1)]).clashes).toEqual([]);
  });

  it("never loses an annotation only one side added, whatever else happened", () => {
    const next = random(3);
    for (let round = 0; round < 100; round++) {
      const change = (who: string) => [...base.filter(() => next() > 0.3).map((one) => (next() > 0.5 ? { ...one, x: Math.floor(next() * 3) } : one)), ...(next() > 0.5 ? [box(who)] : [])];
      const [mine, theirs] = [change("m"), change("t")];
      const { merged } = merge(base, mine, theirs);
      for (const [list, who] of [[mine, "m"], [theirs, "t"]] as const) expect(merged.some((one) => one.id === who)).toBe(list.some((one) => one.id === who));
      expect(new Set(merged.map((one) => one.id)).size).toBe(merged.length);
    }
  });
});

describe("geometry", () => {
  const none = () => ({ x: 0, y: 0, w: 0, h: 0 });

  it("knows where a turned box stands", () => {
    const turned = box("a", 0, { w: 20, h: 10, angle: 90 });
    expect(corners(turned)[0].map(Math.round)).toEqual([15, -5]);
    const { x, y, w, h } = boundsOf(turned, none);
    expect([x, y, w, h].map(Math.round)).toEqual([5, -5, 10, 20]);
  });

  it("knows holes", () => {
    const rings = [[0, 0, 10, 0, 10, 10, 0, 10], [4, 4, 6, 4, 6, 6, 4, 6]];
    expect(isInPolygon([5, 5], rings, [1])).toBe(false);
    expect(isInPolygon([2, 2], rings, [1])).toBe(true);
  });

  it("moves every shape by as much, and points that are not there not at all", () => {
    const shapes: Shape[] = [box("a"), { id: "p", type: "polygon", rings: [[0, 0, 5, 0, 5, 5]] }, { id: "l", type: "polyline", points: [0, 0, 4, 4] }, { id: "c", type: "circle", x: 3, y: 3, r: 2 }];
    for (const shape of shapes) {
      const [before, after] = [boundsOf(shape, none), boundsOf(moved(shape, 3, 4), none)];
      expect([after.x - before.x, after.y - before.y, after.w, after.h]).toEqual([3, 4, before.w, before.h]);
    }
    expect(moved({ id: "k", type: "keypoints", points: [[1, 1, 2], [0, 0, 0]] }, 2, 2).points).toEqual([[3, 3, 2], [0, 0, 0]]);
  });

  it("drops vertices that say nothing", () => {
    expect(simplified([0, 0, 5, 0.1, 10, 0, 10, 10], 0.5)).toEqual([0, 0, 10, 0, 10, 10]);
  });
});

describe("tracks", () => {
  const frame = (seq: number, ...annotations: Annotation[]) => ({ seq, at: seq, annotations });

  it("fill the frames between two keys, and only those", () => {
    const frames = [frame(1, box("a", 0, { track: "t" })), frame(2), frame(3, box("o", 7)), frame(4, box("b", 30, { track: "t" })), frame(5)];
    const changed = interpolated(frames, "t", () => "new");
    expect([...changed.keys()]).toEqual([2, 3]);
    expect((changed.get(2)?.[0] as Box).x).toBe(10);
    expect(changed.get(3)?.map((one) => [(one as Box).x, one.auto ?? false])).toEqual([[7, false], [20, true]]);
  });

  it("renew what was computed before under the same id, and leave it when nothing changes", () => {
    const old = box("old", 99, { track: "t", auto: true });
    const frames = [frame(1, box("a", 0, { track: "t" })), frame(2, old), frame(3, box("b", 20, { track: "t" }))];
    const changed = interpolated(frames, "t", () => "new");
    expect(changed.get(2)?.[0]).toMatchObject({ id: "old", x: 10, auto: true });
    expect(interpolated([frames[0] as never, frame(2, ...(changed.get(2) ?? [])), frames[2] as never], "t", () => "new").size).toBe(0);
  });

  it("turn the short way round", () => {
    const frames = [frame(1, box("a", 0, { track: "t", angle: 170 })), frame(2), frame(3, box("b", 0, { track: "t", angle: -170 }))];
    expect((interpolated(frames, "t", () => "n").get(2)?.[0] as Box).angle).toBe(180);
  });
});
