/** Choosing, moving and reshaping. */
import { contains, moved, rectOf } from "../../model/geometry";
import { newId } from "../../model/ids";
import { omit } from "../../model/omit";
import type { Annotation, Point, Shape } from "../../model/types";
import { drawHandles, drawShape } from "../draw";
import type { Canvas2D } from "../draw";
import { handleAt } from "../hit";
import type { Handle } from "../hit";
import { reshaped, withoutVertex } from "../reshape";
import { Tool } from "./tool";
import type { Pointer } from "./tool";

type Gesture =
  | { kind: "move"; from: Point; by: Point; ids: ReadonlySet<string>; isCopy: boolean }
  | { kind: "reshape"; shape: Shape; handle: Handle; now: Shape }
  | { kind: "frame"; from: Point; to: Point; isAdding: boolean };

/** A drag shorter than this (in pixels of the window) is a click. */
const SLOP_PX = 3;

export class SelectTool extends Tool {
  readonly cursor = "default";
  private gesture: Gesture | null = null;
  private pressedAt: Point | null = null;
  private wasSelected = false;

  override down(at: Pointer): void {
    this.pressedAt = at.screen;
    const handle = this.handleUnder(at);
    if (handle) return this.takeHandle(handle.shape, handle.handle, at);
    const hits = this.bench.scene.at(at.raw, this.bench.tolerance);
    const selection = this.bench.desk.selection();
    const top = hits.find((shape) => selection.has(shape.id)) ?? hits[0];
    this.wasSelected = top !== undefined && selection.has(top.id);
    if (!top) {
      this.gesture = { kind: "frame", from: at.raw, to: at.raw, isAdding: at.isShift };
      return;
    }
    if (!this.wasSelected) this.bench.desk.select(at.isShift ? [...selection, top.id] : [top.id]);
    const ids = new Set([...this.bench.desk.selection()].filter((id) => !this.bench.desk.isLocked(id)));
    this.gesture = { kind: "move", from: at.raw, by: [0, 0], ids, isCopy: at.isAlt };
  }

  override move(at: Pointer, isPressed: boolean): void {
    if (!isPressed || !this.gesture) return this.hover(at);
    if (this.gesture.kind === "frame") this.gesture.to = at.raw;
    else if (!this.bench.desk.isReadOnly() && this.isDragged(at)) this.drag(at, this.gesture);
    this.bench.redraw();
  }

  override up(at: Pointer): void {
    const gesture = this.gesture;
    this.gesture = null;
    this.bench.scene.lift(new Set());
    if (gesture?.kind === "frame") this.endFrame(gesture, at);
    else if (gesture && this.isDragged(at)) this.apply(gesture);
    else if (gesture?.kind === "move") this.click(at);
    this.bench.redraw();
  }

  override cancel(): boolean {
    const hadGesture = this.gesture !== null;
    this.gesture = null;
    this.bench.scene.lift(new Set());
    if (hadGesture || this.bench.desk.selection().size === 0) return hadGesture;
    this.bench.desk.select([]);
    return true;
  }

  override busyWith(): ReadonlySet<string> {
    return this.bench.desk.selection();
  }

  override draw(g: Canvas2D): void {
    const { scene, unit } = this.bench;
    const palette = this.bench.palette();
    if (this.gesture?.kind === "frame") {
      const { x, y, w, h } = rectOf(this.gesture.from, this.gesture.to);
      g.strokeStyle = palette.guide;
      g.lineWidth = unit;
      g.setLineDash([4 * unit, 3 * unit]);
      g.strokeRect(x, y, w, h);
      g.setLineDash([]);
    }
    for (const shape of this.shown()) {
      const label = scene.labelOf(shape);
      const colour = label?.colour ?? palette.unlabelled;
      drawShape(g, shape, label, { colour, unit, fill: 0.3, width: 2.5 });
      if (!this.bench.desk.isLocked(shape.id) && !this.bench.desk.isReadOnly()) drawHandles(g, shape, colour, palette, unit);
    }
  }

  /** What is chosen, as it would be if the button were released now. */
  private shown(): Shape[] {
    const { scene, desk } = this.bench;
    const chosen = [...desk.selection()].map((id) => scene.get(id)).filter((shape) => shape !== null && scene.isVisible(shape)) as Shape[];
    const gesture = this.gesture;
    if (gesture?.kind === "reshape") return chosen.map((shape) => (shape.id === gesture.shape.id ? gesture.now : shape));
    if (gesture?.kind !== "move") return chosen;
    const shifted = chosen.map((shape) => (gesture.ids.has(shape.id) ? moved(shape, gesture.by[0], gesture.by[1]) : shape));
    return gesture.isCopy ? [...chosen, ...shifted] : shifted;
  }

  private takeHandle(shape: Shape, handle: Handle, at: Pointer): void {
    if (at.isAlt && handle.kind === "vertex" && (shape.type === "polygon" || shape.type === "polyline")) {
      const next = withoutVertex(shape, handle);
      this.bench.desk.change("reshape", (list) => list.flatMap((one) => (one.id !== shape.id ? [one] : next ? [next] : [])));
      return;
    }
    if (at.isAlt && handle.kind === "keypoint" && shape.type === "keypoints") {
      const points = shape.points.map((point, i) => (i === handle.index ? ([point[0], point[1], point[2] === 2 ? 1 : 2] as [number, number, number]) : point));
      this.bench.desk.change("reshape", (list) => list.map((one) => (one.id === shape.id ? { ...shape, points } : one)));
      return;
    }
    this.gesture = { kind: "reshape", shape, handle, now: shape };
  }

  private drag(at: Pointer, gesture: Exclude<Gesture, { kind: "frame" }>): void {
    if (gesture.kind === "reshape") {
      gesture.now = reshaped(gesture.shape, gesture.handle, gesture.handle.kind === "rotate" ? at.raw : at.point, { isConstrained: at.isShift });
      return;
    }
    const [dx, dy] = [at.raw[0] - gesture.from[0], at.raw[1] - gesture.from[1]];
    gesture.by = at.isShift ? (Math.abs(dx) > Math.abs(dy) ? [dx, 0] : [0, dy]) : [dx, dy];
  }

  private apply(gesture: Exclude<Gesture, { kind: "frame" }>): void {
    const { desk } = this.bench;
    if (desk.isReadOnly()) return;
    if (gesture.kind === "reshape") {
      desk.change("reshape", (list) => list.map((one) => (one.id === gesture.shape.id ? byHand(gesture.now) : one)));
      return;
    }
    const [dx, dy] = gesture.by;
    if (gesture.isCopy) {
      const copies = desk.annotations().filter((one) => gesture.ids.has(one.id)).map((one) => ({ ...moved(one, dx, dy), id: newId() }));
      desk.change("copy", (list) => [...list, ...copies]);
      desk.select(copies.map((one) => one.id));
      return;
    }
    desk.change("move", (list) => list.map((one) => (gesture.ids.has(one.id) ? byHand(moved(one, dx, dy)) : one)));
  }

  /** A second click on the same place goes to what lies beneath. */
  private click(at: Pointer): void {
    const { desk, scene } = this.bench;
    const hits = scene.at(at.raw, this.bench.tolerance);
    const selection = desk.selection();
    const index = hits.findIndex((shape) => selection.has(shape.id));
    const top = hits[index];
    if (!top || !this.wasSelected) return;
    if (at.isShift) return desk.select([...selection].filter((id) => id !== top.id));
    const next = hits[(index + 1) % hits.length];
    if (next) desk.select([next.id]);
  }

  private endFrame(gesture: Extract<Gesture, { kind: "frame" }>, at: Pointer): void {
    const { desk, scene } = this.bench;
    const kept = gesture.isAdding ? [...desk.selection()] : [];
    if (!this.isDragged(at)) return desk.select(kept);
    const frame = rectOf(gesture.from, at.raw);
    const inside = scene.inside(frame).filter((shape) => contains(frame, scene.boundsOf(shape.id) ?? frame));
    desk.select([...kept, ...inside.map((shape) => shape.id)]);
  }

  private hover(at: Pointer): void {
    const handle = this.handleUnder(at);
    if (handle) return this.bench.setCursor(handle.handle.kind === "rotate" ? "grab" : "crosshair");
    const isOver = this.bench.scene.at(at.raw, this.bench.tolerance).length > 0;
    this.bench.setCursor(isOver ? "move" : this.cursor);
  }

  private handleUnder(at: Pointer): { shape: Shape; handle: Handle } | null {
    const { desk, scene, tolerance, unit } = this.bench;
    if (desk.isReadOnly()) return null;
    for (const id of desk.selection()) {
      const shape = scene.get(id);
      const handle = shape && !desk.isLocked(id) && scene.isVisible(shape) ? handleAt(shape, at.raw, tolerance, unit) : null;
      if (shape && handle) return { shape, handle };
    }
    return null;
  }

  private isDragged(at: Pointer): boolean {
    const from = this.pressedAt;
    return from !== null && Math.hypot(at.screen[0] - from[0], at.screen[1] - from[1]) > SLOP_PX;
  }
}

/** What a person has touched is no longer computed: in a video it becomes a key frame. */
function byHand<T extends Annotation>(annotation: T): T {
  return annotation.auto ? (omit(annotation, "auto") as T) : annotation;
}
