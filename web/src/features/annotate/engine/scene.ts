/** The shapes of the open item as the canvas sees them: order, index, what is hidden, locked, chosen, and what must be redrawn. */
import { boundsOf, grown } from "../model/geometry";
import type { Rect } from "../model/geometry";
import { haveSameIds } from "../model/patch";
import { decodeMask, maskExtent } from "../model/rle";
import type { MaskWindow } from "../model/rle";
import { isShape } from "../model/types";
import type { Annotation, Label, Mask, Point, Shape } from "../model/types";
import { isHit } from "./hit";
import { SpatialIndex } from "./spatial-index";

const windows = new WeakMap<Mask, MaskWindow>();

/** A mask's pixels, unpacked once. */
export function windowOf(mask: Mask): MaskWindow {
  const known = windows.get(mask) ?? decodeMask(mask);
  windows.set(mask, known);
  return known;
}

export class Scene {
  shapes: Shape[] = [];
  labels = new Map<number, Label>();
  hidden: ReadonlySet<string> = new Set();
  locked: ReadonlySet<string> = new Set();
  selected: ReadonlySet<string> = new Set();
  /** Drawn by a tool for the time being, not by the scene. */
  lifted: ReadonlySet<string> = new Set();

  private readonly index = new SpatialIndex<Shape>();
  private rank = new Map<string, number>();
  private byId = new Map<string, Shape>();
  private dirty: Rect[] = [];
  private isAllDirty = true;

  setAnnotations(annotations: readonly Annotation[]): void {
    const next = annotations.filter(isShape);
    if (haveSameIds(this.shapes, next)) return this.replaceInPlace(next);
    const nextById = new Map(next.map((shape) => [shape.id, shape]));
    for (const [id, old] of this.byId) if (nextById.get(id) !== old) this.forget(id);
    const isReordered = next.some((shape, i) => (this.rank.get(shape.id) ?? i) !== i && this.byId.has(shape.id)) && next.length === this.shapes.length;
    for (const shape of next) if (this.byId.get(shape.id) !== shape) this.learn(shape);
    this.byId = nextById;
    this.shapes = next;
    this.rank = new Map(next.map((shape, i) => [shape.id, i]));
    if (isReordered) this.isAllDirty = true;
  }

  setLabels(labels: readonly Label[]): void {
    this.labels = new Map(labels.map((label) => [label.number, label]));
    this.isAllDirty = true;
  }

  setHidden(hidden: ReadonlySet<string>): void {
    this.touch(difference(this.hidden, hidden));
    this.hidden = hidden;
  }

  setSelected(selected: ReadonlySet<string>): void {
    this.touch(difference(this.selected, selected));
    this.selected = selected;
  }

  lift(ids: ReadonlySet<string>): void {
    this.touch(difference(this.lifted, ids));
    this.lifted = ids;
  }

  get(id: string): Shape | null {
    return this.byId.get(id) ?? null;
  }

  boundsOf(id: string): Rect | null {
    return this.index.rectOf(id);
  }

  isVisible(shape: Shape): boolean {
    return !this.hidden.has(shape.id);
  }

  /** Visible shapes that touch the rectangle, from back to front. */
  inside(rect: Rect): Shape[] {
    return this.index
      .query(rect)
      .filter((shape) => this.isVisible(shape))
      .sort((a, b) => (this.rank.get(a.id) ?? 0) - (this.rank.get(b.id) ?? 0));
  }

  /** Under the point, the front one first; small shapes before the large ones that contain them. */
  at(point: Point, tolerance: number): Shape[] {
    const near = this.inside(grown({ x: point[0], y: point[1], w: 0, h: 0 }, tolerance)).filter((shape) => isHit(shape, point, tolerance, this.labelOf(shape)));
    const area = (shape: Shape) => {
      const rect = this.index.rectOf(shape.id);
      return rect ? rect.w * rect.h : 0;
    };
    return near.reverse().sort((a, b) => area(a) - area(b));
  }

  labelOf(shape: Annotation): Label | null {
    return shape.label === undefined ? null : (this.labels.get(shape.label) ?? null);
  }

  redrawAll(): void {
    this.isAllDirty = true;
  }

  /** What has to be drawn again since this was last asked. */
  takeDirty(): Rect[] | "all" {
    const dirty = this.isAllDirty || this.dirty.length > 200 ? "all" : this.dirty;
    this.dirty = [];
    this.isAllDirty = false;
    return dirty;
  }

  /** A few of thousands have changed, and nothing has come, gone or changed places. */
  private replaceInPlace(next: Shape[]): void {
    next.forEach((shape, at) => {
      if (shape === this.shapes[at]) return;
      this.forget(shape.id);
      this.learn(shape);
      this.byId.set(shape.id, shape);
    });
    this.shapes = next;
  }

  private learn(shape: Shape): void {
    const rect = boundsOf(shape, (one) => (one.type === "mask" ? maskExtent(one) : { x: 0, y: 0, w: 0, h: 0 }));
    this.index.set(shape.id, rect, shape);
    this.dirty.push(rect);
  }

  private forget(id: string): void {
    const rect = this.index.rectOf(id);
    if (rect) this.dirty.push(rect);
    this.index.delete(id);
  }

  private touch(ids: string[]): void {
    if (ids.length > 200) this.isAllDirty = true;
    else for (const id of ids) this.dirty.push(this.index.rectOf(id) ?? { x: 0, y: 0, w: 0, h: 0 });
  }
}

function difference(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...[...a].filter((id) => !b.has(id)), ...[...b].filter((id) => !a.has(id))];
}
