import { describe, expect, it } from "vitest";
import { ACTIONS, keyName, labelByKey } from "@/features/annotate/actions";
import { handleAt, isHit } from "@/features/annotate/engine/hit";
import { reshaped, withoutVertex } from "@/features/annotate/engine/reshape";
import { Scene } from "@/features/annotate/engine/scene";
import { clamped, snapped } from "@/features/annotate/engine/snap";
import { SpatialIndex } from "@/features/annotate/engine/spatial-index";
import { strokeApplied } from "@/features/annotate/engine/strokes";
import { turnedBox } from "@/features/annotate/engine/tools/draw-tools";
import { View } from "@/features/annotate/engine/view";
import { clock, Peaks } from "@/features/annotate/engine/waveform";
import { corners, intersects } from "@/features/annotate/model/geometry";
import type { Box, Polygon, Shape } from "@/features/annotate/model/types";
import { labelRows } from "@/features/annotate/panels/label-tree";
import { withKey } from "@/features/annotate/panels/HelpDialog";
import { History } from "@/features/annotate/session/history";
import { grow, separate } from "@/features/annotate/smart/region";
import { outlines } from "@/features/annotate/smart/outline";

const box = (id: string, x: number, y: number, w: number, h: number, angle?: number): Box => ({ id, type: "box", label: 1, x, y, w, h, ...(angle ? { angle } : {}) });

describe("the view", () => {
  it("keeps the point under the pointer while zooming", () => {
    const view = new View();
    Object.assign(view, { width: 800, height: 600 });
    view.fit({ x: 0, y: 0, w: 4000, h: 3000 });
    const before = view.toImage([200, 150]);
    view.zoomAt([200, 150], 3.7);
    expect(view.toImage([200, 150])[0]).toBeCloseTo(before[0]);
    expect(view.toScreen(view.toImage([33, 44]))[1]).toBeCloseTo(44);
  });

  it("cuts a part to whole pixels of the screen, and to what is shown", () => {
    const view = new View();
    Object.assign(view, { width: 100, height: 80, scale: 0.5, x: 10, y: -1 });
    expect(view.onPixels({ x: 3, y: 5, w: 6, h: 6 }, 1)).toEqual({ x: 2, y: 4, w: 8, h: 8 });
    expect(view.onPixels({ x: 3, y: 5, w: 6, h: 6 }, 2)).toEqual({ x: 3, y: 5, w: 6, h: 6 });
    expect(view.onPixels({ x: -100, y: -100, w: 1000, h: 1000 }, 1)).toEqual(view.visible());
    expect(view.onPixels({ x: 300, y: 0, w: 10, h: 10 }, 1)).toBeNull();
  });
});

describe("the index", () => {
  it("finds what a look at all would find", () => {
    let seed = 5;
    const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    const index = new SpatialIndex<number>();
    const rects = Array.from({ length: 2000 }, () => ({ x: random() * 4000, y: random() * 3000, w: random() ** 4 * 2000, h: random() ** 4 * 2000 }));
    rects.forEach((rect, i) => index.set(String(i), rect, i));
    for (let i = 0; i < 500; i++) index.delete(String(i));
    for (let round = 0; round < 50; round++) {
      const asked = { x: random() * 4000, y: random() * 3000, w: random() * 800, h: random() * 800 };
      const wanted = rects.flatMap((rect, i) => (i >= 500 && intersects(rect, asked) ? [i] : []));
      expect(index.query(asked).sort((a, b) => a - b)).toEqual(wanted);
    }
    expect(index.size).toBe(1500);
  });
});

describe("the scene", () => {
  it("gives the small shape before the large one that contains it, and repaints only what changed", () => {
    const scene = new Scene();
    const [large, small] = [box("large", 0, 0, 100, 100), box("small", 40, 40, 10, 10)];
    scene.setAnnotations([small, large]);
    expect(scene.at([45, 45], 2).map((shape) => shape.id)).toEqual(["small", "large"]);
    scene.takeDirty();
    scene.setAnnotations([{ ...small, x: 60 }, large]);
    expect(scene.takeDirty()).toEqual([{ x: 40, y: 40, w: 10, h: 10 }, { x: 60, y: 40, w: 10, h: 10 }]);
    expect([scene.get("small"), scene.at([65, 45], 2)[0]]).toEqual([{ ...small, x: 60 }, { ...small, x: 60 }]);
    expect(scene.at([45, 45], 2)).toEqual([large]);
    scene.setAnnotations([large, { ...small, x: 60 }]);
    expect(scene.takeDirty()).toBe("all");
    scene.setHidden(new Set(["small"]));
    expect(scene.at([65, 45], 2).map((shape) => shape.id)).toEqual(["large"]);
  });
});

describe("reshaping", () => {
  const plain = { isConstrained: false };

  it("leaves the opposite corner where it is, also in a turned box", () => {
    for (const angle of [0, 30, -77]) {
      const shape = box("a", 100, 100, 60, 40, angle);
      const fixed = corners(shape)[0];
      const handle = { at: corners(shape)[2], kind: "corner" as const, index: 2 };
      const next = reshaped(shape, handle, [handle.at[0] + 20, handle.at[1] + 15], plain) as Box;
      expect(corners(next)[0][0]).toBeCloseTo(fixed[0], 1);
      expect(corners(next)[0][1]).toBeCloseTo(fixed[1], 1);
    }
  });

  it("turns in steps when asked, and loses the angle at zero", () => {
    const handle = { at: [130, 80] as const, kind: "rotate" as const, index: 0 };
    expect((reshaped(box("a", 100, 100, 60, 40), handle, [200, 125], { isConstrained: true }) as Box).angle).toBe(90);
    expect("angle" in reshaped(box("a", 100, 100, 60, 40, 10), handle, [130, 0], { isConstrained: true })).toBe(false);
  });

  it("adds a vertex between two and takes one away", () => {
    const polygon: Polygon = { id: "p", type: "polygon", rings: [[0, 0, 10, 0, 10, 10, 0, 10]] };
    const middle = handleAt(polygon, [5, 0.4], 1, 1);
    expect(middle?.kind).toBe("midpoint");
    const more = reshaped(polygon, middle as NonNullable<typeof middle>, [5, -3], plain) as Polygon;
    expect(more.rings[0]).toEqual([0, 0, 5, -3, 10, 0, 10, 10, 0, 10]);
    const vertex = handleAt(more, [5, -3], 1, 1);
    expect(withoutVertex(more, vertex as NonNullable<typeof vertex>)).toEqual(polygon);
    const triangle: Polygon = { ...polygon, rings: [[0, 0, 9, 0, 0, 9]] };
    expect(withoutVertex(triangle, { at: [0, 0], kind: "vertex", index: 0, ring: 0 })).toBeNull();
  });

  it("makes a turned box of three points", () => {
    const made = turnedBox([0, 0], [10, 10], [5, 15]);
    expect(made.angle).toBe(45);
    expect(isHit({ ...made, id: "x" } as Shape, [5, 8], 0.1, null)).toBe(true);
    expect(isHit({ ...made, id: "x" } as Shape, [8, 5], 0.1, null)).toBe(false);
  });
});

describe("snapping", () => {
  const scene = new Scene();
  scene.setAnnotations([box("a", 100, 100, 50, 50)]);
  const size = { width: 640, height: 480 };

  it("prefers corners to edges, edges to the border, and leaves the shape itself alone", () => {
    expect(snapped(scene, [103, 98], 8, size, new Set())).toEqual({ point: [100, 100], onto: "vertex" });
    expect(snapped(scene, [125, 97], 8, size, new Set())).toEqual({ point: [125, 100], onto: "edge" });
    expect(snapped(scene, [3, 200], 8, size, new Set())).toEqual({ point: [0, 200], onto: "border" });
    expect(snapped(scene, [103, 98], 8, size, new Set(["a"])).onto).toBeNull();
    expect(clamped([-5, 500], size)).toEqual([0, 480]);
  });
});

describe("strokes", () => {
  const size = { width: 100, height: 80 };

  it("paint a round line within the picture and erase it again", () => {
    const painted = strokeApplied(null, { points: [10, 10, 40, 10], diameter: 10 }, false, size);
    expect([painted.x, painted.y, painted.w, painted.h]).toEqual([5, 5, 40, 10]);
    const area = painted.data.reduce((sum, value) => sum + value, 0);
    expect(Math.abs(area - (300 + Math.PI * 25))).toBeLessThan(12);
    const half = strokeApplied(painted, { points: [10, 10, 20, 10], diameter: 12 }, true, size);
    expect(half.x).toBeGreaterThan(19);
    expect(strokeApplied(painted, { points: [0, 10, 60, 10], diameter: 14 }, true, size).w).toBe(0);
    expect(strokeApplied(null, { points: [-3, -3, 120, 90], diameter: 4 }, false, size)).toMatchObject({ x: 0, y: 0, w: 100 });
  });
});

describe("click to segment", () => {
  const [width, height] = [120, 90];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    const isThing = ((x - 60) / 30) ** 2 + ((y - 45) / 20) ** 2 < 1;
    data.set(isThing ? [200, 60, 40, 255] : [190 + (x % 7), 200, 205 - (y % 5), 255], 4 * i);
  }
  const extent = (ring: number[]) => [Math.min(...ring.filter((_, i) => i % 2 === 0)), Math.max(...ring.filter((_, i) => i % 2 === 0))];

  it("finds the thing from one click", () => {
    const found = grow({ width, height, data }, [[60, 45]], [], 0.35);
    const [ring] = outlines(found as NonNullable<typeof found>, 0.9);
    const [left, right] = extent(ring as number[]);
    expect(Math.abs((left as number) - 30)).toBeLessThan(3);
    expect(Math.abs((right as number) - 90)).toBeLessThan(3);
  });

  it("finds the thing in a rough box", () => {
    const found = separate({ width, height, data }, { x: 22, y: 18, w: 76, h: 54 });
    const [ring] = outlines(found as NonNullable<typeof found>, 0.9);
    const [left, right] = extent(ring as number[]);
    expect(Math.abs((left as number) - 30)).toBeLessThan(4);
    expect(Math.abs((right as number) - 90)).toBeLessThan(4);
  });

  it("walks around every part of a mask once", () => {
    const mask = { x: 0, y: 0, w: 7, h: 3, data: Uint8Array.from([1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1]) };
    expect(outlines(mask, 0).map((ring) => ring.length)).toEqual([expect.any(Number), expect.any(Number)]);
  });
});

describe("keys", () => {
  const press = (key: string, code: string, more: Partial<KeyboardEvent> = {}) => keyName({ key, code, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });

  it("have one name on every layout", () => {
    expect(press("z", "KeyZ", { ctrlKey: true })).toBe("ctrl+z");
    expect(press("Z", "KeyZ", { metaKey: true, shiftKey: true })).toBe("ctrl+shift+z");
    expect(press("?", "Slash", { shiftKey: true })).toBe("?");
    expect(press("<", "Comma", { shiftKey: true })).toBe("shift+,");
    expect(press("ArrowRight", "ArrowRight", { shiftKey: true })).toBe("shift+arrowright");
    expect(press("Shift", "ShiftLeft", { shiftKey: true })).toBeNull();
  });

  it("belong to one action each", () => {
    // One that is only sometimes for its key leaves it to another at other times.
    const names = ACTIONS.filter((action) => !action.isNow).flatMap((action) => action.keys);
    expect(names.filter((key, i) => names.indexOf(key) !== i)).toEqual([]);
  });

  it("given to one action are taken from another", () => {
    const keys = withKey({}, "tool.box", "p");
    expect(keys["tool.box"]).toEqual(["p"]);
    expect(keys["tool.polygon"]).toEqual([]);
  });

  it("choose labels by number or by their own key", () => {
    const labels = [{ number: 7, shortcut: "y" }, { number: 9 }];
    expect(labelByKey("2", labels, [7, 9])).toBe(9);
    expect(labelByKey("0", labels, [7, 9])).toBeNull();
    expect(labelByKey("y", labels, [7, 9])).toBe(7);
  });
});

describe("labels", () => {
  it("are listed under their parents and found by either name", () => {
    const label = (number: number, name: string, parent: number | null = null) => ({ number, name, parent, colour: "" });
    const labels = [label(1, "ship"), label(2, "buoy"), label(3, "tug", 1), label(4, "ferry", 1)];
    expect(labelRows(labels).map((row) => [row.label.name, row.isLeaf])).toEqual([["ship", false], ["tug", true], ["ferry", true], ["buoy", true]]);
    expect(labelRows(labels, "TUG").map((row) => row.label.name)).toEqual(["ship", "tug"]);
    expect(labelRows(labels, "ship").map((row) => row.label.name)).toEqual(["ship", "tug", "ferry"]);
  });
});

describe("history", () => {
  it("goes back and forth, and forgets what was undone when something new is done", () => {
    const history = new History();
    const step = (id: string) => ({ action: "draw" as const, changes: [{ seq: 1, patch: { changes: [{ id, before: null, after: box(id, 0, 0, 1, 1), at: 0 }], order: null }, state: null }] });
    history.add(step("a"));
    history.add(step("b"));
    expect(history.undo()?.changes[0]?.patch.changes[0]).toMatchObject({ id: "b", after: null });
    expect(history.redo()?.changes[0]?.patch.changes[0]?.id).toBe("b");
    history.undo();
    history.add(step("c"));
    expect(history.canRedo).toBe(false);
    history.add({ action: "draw", changes: [] });
    expect(history.undo()?.changes[0]?.patch.changes[0]?.id).toBe("c");
  });
});

describe("sound", () => {
  it("is summed up without losing its peaks", () => {
    const samples = new Float32Array(100_000);
    samples[70_001] = 0.9;
    const peaks = new Peaks(samples, 10_000);
    expect(peaks.between(0, 10)[1]).toBeCloseTo(0.9);
    expect(peaks.between(6.9, 7.1)[1]).toBeCloseTo(0.9);
    expect(peaks.between(0, 5)).toEqual([0, 0]);
    expect([clock(65), clock(5.26, true)]).toEqual(["1:05", "0:05.2"]);
  });
});
