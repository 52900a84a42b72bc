/** Tools that draw a new shape: boxes, turned boxes, rings and lines, points, circles. */
import { distance, rectOf, rounded, roundedAll } from "../../model/geometry";
import { newId } from "../../model/ids";
import type { Annotation, Box, Label, Point, Polygon, Shape } from "../../model/types";
import { drawShape } from "../draw";
import type { Canvas2D } from "../draw";
import { Tool } from "./tool";
import type { Pointer } from "./tool";

/** Smaller than this (in pixels of the window) nothing is drawn: it was a slip of the hand. */
const SMALLEST_PX = 3;

abstract class DrawTool extends Tool {
  readonly cursor = "crosshair";

  /** The label to draw with, or null after having asked for one. */
  protected label(): Label | null {
    const { desk } = this.bench;
    if (desk.isReadOnly()) return null;
    const label = desk.activeLabel();
    if (!label) desk.wantLabel();
    return label;
  }

  protected add(shape: Omit<Shape, "id" | "label">, label: Label): void {
    const { desk } = this.bench;
    const whole = { id: newId(), ...desk.fresh(label), ...shape, label: label.number } as Annotation;
    desk.change("draw", (list) => [...list, whole]);
    desk.select([whole.id]);
    desk.drawn(whole.id);
  }

  protected preview(g: Canvas2D, shape: Shape): void {
    const label = this.bench.desk.activeLabel();
    drawShape(g, shape, label, { colour: label?.colour ?? this.bench.palette().unlabelled, unit: this.bench.unit, fill: 0.2, width: 2 });
  }

  protected guides(g: Canvas2D, at: Point): void {
    const { x, y, w, h } = this.bench.view.visible();
    g.strokeStyle = this.bench.palette().guide;
    g.lineWidth = this.bench.unit;
    g.setLineDash([3 * this.bench.unit, 3 * this.bench.unit]);
    g.globalAlpha = 0.7;
    g.beginPath();
    g.moveTo(x, at[1]);
    g.lineTo(x + w, at[1]);
    g.moveTo(at[0], y);
    g.lineTo(at[0], y + h);
    g.stroke();
    g.globalAlpha = 1;
    g.setLineDash([]);
  }
}

/** By dragging, or by a click at each of two corners. */
export class BoxTool extends DrawTool {
  private from: Point | null = null;
  private at: Point | null = null;
  private isClicking = false;
  private pressedAt: Point = [0, 0];

  override down(at: Pointer): void {
    this.pressedAt = at.screen;
    if (this.isClicking || !this.label()) return;
    this.from = at.point;
  }

  override move(at: Pointer): void {
    this.at = this.from && at.isShift ? squared(this.from, at.point) : at.point;
    this.bench.redraw();
  }

  override up(at: Pointer): void {
    if (!this.from) return;
    const isClick = distance(at.screen, this.pressedAt) <= SMALLEST_PX;
    if (isClick && !this.isClicking) {
      this.isClicking = true;
      return;
    }
    this.end(at.isShift ? squared(this.from, at.point) : at.point);
  }

  override cancel(): boolean {
    const had = this.from !== null;
    this.from = null;
    this.isClicking = false;
    this.bench.redraw();
    return had;
  }

  override draw(g: Canvas2D): void {
    if (!this.at) return;
    if (this.from) this.preview(g, { id: "", type: "box", ...rectOf(this.from, this.at) });
    else this.guides(g, this.at);
  }

  private end(to: Point): void {
    const rect = rectOf(this.from ?? to, to);
    this.cancel();
    const label = this.label();
    if (!label || Math.min(rect.w, rect.h) / this.bench.unit < SMALLEST_PX) return;
    const box: Omit<Box, "id"> = { type: "box", x: rounded(rect.x), y: rounded(rect.y), w: rounded(rect.w), h: rounded(rect.h) };
    this.add(box, label);
  }
}

function squared(from: Point, to: Point): Point {
  const side = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
  return [from[0] + Math.sign(to[0] - from[0]) * side, from[1] + Math.sign(to[1] - from[1]) * side];
}

/** Two clicks for one side, a third for how far the other is. */
export class TurnedBoxTool extends DrawTool {
  private points: Point[] = [];
  private at: Point | null = null;

  override down(at: Pointer): void {
    if (this.points.length === 0 && !this.label()) return;
    this.points.push(this.points.length === 2 ? at.raw : at.point);
    if (this.points.length === 3) this.end();
    this.bench.redraw();
  }

  override move(at: Pointer): void {
    this.at = this.points.length === 2 ? at.raw : at.point;
    this.bench.redraw();
  }

  override cancel(): boolean {
    const had = this.points.length > 0;
    this.points = [];
    this.bench.redraw();
    return had;
  }

  override back(): boolean {
    return this.points.pop() !== undefined;
  }

  override draw(g: Canvas2D): void {
    if (!this.at) return;
    const [a, b] = this.points;
    if (!a) return this.guides(g, this.at);
    if (!b) return this.preview(g, { id: "", type: "polyline", points: [...a, ...this.at] });
    this.preview(g, { id: "", ...turnedBox(a, b, this.at) });
  }

  private end(): void {
    const [a, b, c] = this.points as [Point, Point, Point];
    this.points = [];
    const label = this.label();
    const box = turnedBox(a, b, c);
    if (label && Math.min(box.w, box.h) / this.bench.unit >= SMALLEST_PX) this.add(box, label);
  }
}

/** One side from a to b; c says how far the opposite side lies. */
export function turnedBox(a: Point, b: Point, c: Point): Omit<Box, "id"> {
  const w = distance(a, b);
  const [ux, uy] = w === 0 ? [1, 0] : [(b[0] - a[0]) / w, (b[1] - a[1]) / w];
  const depth = (c[0] - a[0]) * -uy + (c[1] - a[1]) * ux;
  const centre: Point = [(a[0] + b[0]) / 2 + (-uy * depth) / 2, (a[1] + b[1]) / 2 + (ux * depth) / 2];
  const h = Math.abs(depth);
  const angle = rounded((Math.atan2(uy, ux) * 180) / Math.PI);
  const box: Omit<Box, "id"> = { type: "box", x: rounded(centre[0] - w / 2), y: rounded(centre[1] - h / 2), w: rounded(w), h: rounded(h) };
  return angle === 0 ? box : { ...box, angle };
}

/** Click by click; dragging draws freehand. Alt at the first point cuts a hole into the chosen polygon, Shift adds a part. */
export class RingTool extends DrawTool {
  private points: number[] = [];
  private at: Point | null = null;
  private into: { id: string; isHole: boolean } | null = null;
  private lastFree: Point | null = null;

  constructor(
    bench: Tool["bench"],
    private readonly isClosed: boolean,
  ) {
    super(bench);
  }

  override down(at: Pointer): void {
    if (at.clicks > 1) return this.finish();
    if (this.points.length === 0) {
      if (!this.label()) return;
      this.into = this.target(at);
    } else if (this.isClosed && this.points.length >= 6 && this.isAtStart(at.raw)) return this.finish();
    this.points.push(...at.point);
    this.lastFree = at.screen;
    this.bench.redraw();
  }

  override move(at: Pointer, isPressed: boolean): void {
    this.at = at.point;
    if (isPressed && this.points.length > 0 && this.lastFree && distance(at.screen, this.lastFree) > 6) {
      this.points.push(...at.point);
      this.lastFree = at.screen;
    }
    this.bench.redraw();
  }

  override finish(): void {
    const [points, into] = [roundedAll(this.points), this.into];
    const label = this.label();
    this.cancel();
    if (!label || points.length < (this.isClosed ? 6 : 4)) return;
    if (into) return this.extend(into, points);
    this.add(this.isClosed ? ({ type: "polygon", rings: [points] } as Omit<Polygon, "id">) : ({ type: "polyline", points } as Omit<Shape, "id">), label);
  }

  override cancel(): boolean {
    const had = this.points.length > 0;
    this.points = [];
    this.into = null;
    this.bench.redraw();
    return had;
  }

  override back(): boolean {
    if (this.points.length === 0) return false;
    this.points.length -= 2;
    this.bench.redraw();
    return true;
  }

  override draft(): unknown {
    return this.points.length > 0 ? { points: this.points, into: this.into } : null;
  }

  override restore(draft: unknown): void {
    const { points, into } = draft as { points: number[]; into: RingTool["into"] };
    this.points = points;
    this.into = into;
    this.bench.redraw();
  }

  override draw(g: Canvas2D): void {
    const { unit } = this.bench;
    if (this.points.length === 0) return this.at ? this.guides(g, this.at) : undefined;
    const points = this.at ? [...this.points, ...this.at] : this.points;
    this.preview(g, this.isClosed && points.length >= 6 ? { id: "", type: "polygon", rings: [points] } : { id: "", type: "polyline", points });
    g.fillStyle = this.bench.palette().handle;
    for (let i = 0; i < this.points.length; i += 2) {
      const size = (i === 0 ? 5 : 3) * unit;
      g.beginPath();
      g.arc(this.points[i] as number, this.points[i + 1] as number, size, 0, 2 * Math.PI);
      g.fill();
      g.stroke();
    }
  }

  private isAtStart(p: Point): boolean {
    return distance(p, [this.points[0] as number, this.points[1] as number]) <= this.bench.tolerance * 1.5;
  }

  private target(at: Pointer): { id: string; isHole: boolean } | null {
    if (!this.isClosed || !(at.isAlt || at.isShift)) return null;
    const [id] = this.bench.desk.selection();
    return id !== undefined && this.bench.scene.get(id)?.type === "polygon" ? { id, isHole: at.isAlt } : null;
  }

  private extend({ id, isHole }: { id: string; isHole: boolean }, ring: number[]): void {
    this.bench.desk.change("reshape", (list) =>
      list.map((one) => {
        if (one.id !== id || one.type !== "polygon") return one;
        const next: Polygon = { ...one, rings: [...one.rings, ring] };
        return isHole ? { ...next, holes: [...(one.holes ?? []), one.rings.length] } : next;
      }),
    );
  }
}

export class PointTool extends DrawTool {
  override down(at: Pointer): void {
    const label = this.label();
    if (label) this.add({ type: "point", x: rounded(at.point[0]), y: rounded(at.point[1]) } as Omit<Shape, "id">, label);
  }
}

export class CircleTool extends DrawTool {
  private from: Point | null = null;
  private at: Point | null = null;

  override down(at: Pointer): void {
    if (this.label()) this.from = at.point;
  }

  override move(at: Pointer): void {
    this.at = at.raw;
    this.bench.redraw();
  }

  override up(at: Pointer): void {
    const from = this.from;
    const label = this.bench.desk.activeLabel();
    this.from = null;
    if (!from || !label || distance(from, at.raw) / this.bench.unit < SMALLEST_PX) return;
    this.add({ type: "circle", x: rounded(from[0]), y: rounded(from[1]), r: rounded(distance(from, at.raw)) } as Omit<Shape, "id">, label);
  }

  override cancel(): boolean {
    const had = this.from !== null;
    this.from = null;
    return had;
  }

  override draw(g: Canvas2D): void {
    if (this.from && this.at) this.preview(g, { id: "", type: "circle", x: this.from[0], y: this.from[1], r: distance(this.from, this.at) });
  }
}
