/**
 * Shapes at rest, painted once and moved as pictures afterwards. Two paintings: the window (with a margin) as sharp as the
 * screen, and the whole picture small, for what comes into the window before it is painted sharply again.
 */
import { contains, grown, intersects, union } from "../model/geometry";
import type { Rect } from "../model/geometry";
import { drawShape, drawTag } from "./draw";
import type { Canvas2D, Palette, Tag } from "./draw";
import type { Scene } from "./scene";
import type { View } from "./view";

const OVERVIEW_PX = 2048;
const MARGIN = 0.25;
const TAGS_UP_TO = 150;

export interface Painting {
  fill: number;
  width: number;
  hasTags: boolean;
  /** Text of a shape's sign. */
  tag: (shape: Scene["shapes"][number]) => Tag | null;
}

interface Sheet {
  canvas: OffscreenCanvas;
  g: OffscreenCanvasRenderingContext2D;
  /** The part of the picture's plane it shows. */
  area: Rect;
  /** Its pixels a pixel of the picture. */
  scale: number;
  /** Whether shapes have signs: as on the whole sheet, so on every part that is painted again. */
  hasTags: boolean;
}

export class ShapeCache {
  private sharp: Sheet | null = null;
  private overview: Sheet | null = null;
  /** What has changed on the overview since it was last looked at: with the whole in the window nobody does. */
  private unseen: Rect[] = [];
  private paintedAt: { scale: number; width: number; height: number } | null = null;

  constructor(
    private readonly scene: Scene,
    private readonly palette: () => Palette,
    private readonly painting: () => Painting,
  ) {}

  /** Nothing has been painted yet, or everything has to be painted again. */
  get isEmpty(): boolean {
    return this.sharp === null && this.overview === null;
  }

  /** Whether what is shown is as sharp and complete as it can be. */
  isSharp(view: View): boolean {
    if (!this.sharp || !this.paintedAt) return false;
    const isSame = this.paintedAt.scale === view.scale && this.paintedAt.width === view.width && this.paintedAt.height === view.height;
    return isSame && contains(this.sharp.area, view.visible());
  }

  repaint(view: View, ratio: number, plane: Rect): void {
    const seen = view.visible();
    const area = grown2(seen, MARGIN);
    const scale = view.scale * ratio;
    this.sharp = this.sheet(this.sharp, area, scale);
    this.paint(this.sharp, this.sharp.area, 1 / view.scale);
    this.paintedAt = { scale: view.scale, width: view.width, height: view.height };
    if (!this.overview) this.paintOverview(plane);
  }

  /** After a change: only what it touched. Tells which parts of the picture look different now. */
  refresh(dirty: Rect[] | "all"): Rect[] | "all" {
    if (dirty === "all") {
      this.sharp = null;
      this.overview = null;
      return "all";
    }
    if (dirty.length === 0) return dirty;
    this.unseen = this.overview ? joined([...this.unseen, ...dirty]) : [];
    if (!this.sharp || !this.paintedAt) return this.unseen;
    return this.again(this.sharp, joined(dirty), 1 / this.paintedAt.scale);
  }

  /** The shapes of a part of what is in view. */
  draw(g: Canvas2D, seen: Rect): void {
    const isCovered = this.sharp && contains(this.sharp.area, seen);
    if (this.overview && !isCovered) {
      this.again(this.overview, this.unseen.splice(0), 1 / this.overview.scale);
      for (const part of without(seen, this.sharp?.area ?? null)) blit(g, this.overview, part);
    }
    if (this.sharp) blit(g, this.sharp, seen);
  }

  /** Paints what was touched, with as much around it as lines and signs reach. */
  private again(sheet: Sheet, touched: Rect[], unit: number): Rect[] {
    const parts = joined(touched.map((rect) => reach(rect, sheet.hasTags, unit))).filter((rect) => intersects(rect, sheet.area));
    for (const part of parts) this.paint(sheet, part, unit);
    return parts;
  }

  private paintOverview(plane: Rect): void {
    this.unseen = [];
    const scale = Math.min(1, OVERVIEW_PX / Math.max(plane.w, plane.h, 1));
    this.overview = this.sheet(null, plane, scale);
    this.paint(this.overview, plane, 1 / scale);
  }

  private sheet(old: Sheet | null, area: Rect, scale: number): Sheet {
    const [w, h] = [Math.max(1, Math.ceil(area.w * scale)), Math.max(1, Math.ceil(area.h * scale))];
    if (old && old.canvas.width === w && old.canvas.height === h) return Object.assign(old, { area, scale });
    const canvas = new OffscreenCanvas(w, h);
    const g = canvas.getContext("2d");
    if (!g) throw new Error("this browser gives no canvas");
    return { canvas, g, area, scale, hasTags: false };
  }

  private paint(sheet: Sheet, part: Rect, unit: number): void {
    const { g, area, scale } = sheet;
    const { fill, width, hasTags, tag } = this.painting();
    const palette = this.palette();
    g.save();
    g.setTransform(scale, 0, 0, scale, -area.x * scale, -area.y * scale);
    g.beginPath();
    g.rect(part.x, part.y, part.w, part.h);
    g.clip();
    g.clearRect(part.x, part.y, part.w, part.h);
    // Signs of shapes farther away may reach into a part that is painted again.
    const near = part !== area && sheet.hasTags ? 200 : 30;
    const shapes = this.scene.inside(grown(part, near * unit)).filter((shape) => !this.scene.lifted.has(shape.id) && !this.scene.selected.has(shape.id));
    for (const shape of shapes) {
      const label = this.scene.labelOf(shape);
      drawShape(g, shape, label, { colour: label?.colour ?? palette.unlabelled, unit, fill, width });
    }
    if (part === area) sheet.hasTags = hasTags && shapes.length <= TAGS_UP_TO;
    if (sheet.hasTags) this.tags(g, shapes, tag, unit);
    g.restore();
  }

  private tags(g: Canvas2D, shapes: Scene["shapes"], tag: Painting["tag"], unit: number): void {
    for (const shape of shapes) {
      const sign = tag(shape);
      if (sign) drawTag(g, shape, sign, this.scene.labelOf(shape)?.colour ?? this.palette().unlabelled, this.palette(), unit);
    }
  }
}

/** Signs stand above their shape and may be wider than it. */
function reach(rect: Rect, hasTags: boolean, unit: number): Rect {
  const around = grown(rect, 24 * unit);
  return hasTags ? { x: around.x - 40 * unit, y: around.y - 20 * unit, w: around.w + 200 * unit, h: around.h + 20 * unit } : around;
}

const MOST_PARTS = 9;

/** Those that overlap as one, so that nothing is painted twice; very many as one, too. */
function joined(rects: readonly Rect[]): Rect[] {
  const apart: Rect[] = [];
  for (const rect of rects) {
    let whole = rect;
    for (let at = apart.findIndex((other) => intersects(other, whole)); at >= 0; at = apart.findIndex((other) => intersects(other, whole))) whole = union(apart.splice(at, 1)[0] ?? null, whole);
    apart.push(whole);
  }
  return apart.length > MOST_PARTS ? [apart.reduce<Rect | null>(union, null) as Rect] : apart;
}

/** The part of the sheet within `part`; pixels nobody sees are not moved. */
function blit(g: Canvas2D, { canvas, area, scale }: Sheet, part: Rect): void {
  const x = Math.max(0, Math.floor((part.x - area.x) * scale));
  const y = Math.max(0, Math.floor((part.y - area.y) * scale));
  const w = Math.min(canvas.width, Math.ceil((part.x + part.w - area.x) * scale)) - x;
  const h = Math.min(canvas.height, Math.ceil((part.y + part.h - area.y) * scale)) - y;
  if (w > 0 && h > 0) g.drawImage(canvas, x, y, w, h, area.x + x / scale, area.y + y / scale, w / scale, h / scale);
}

/** What of a rectangle lies outside another, as at most four rectangles. */
function without(rect: Rect, hole: Rect | null): Rect[] {
  if (!hole || !intersects(rect, hole)) return [rect];
  const top = Math.max(rect.y, hole.y);
  const bottom = Math.min(rect.y + rect.h, hole.y + hole.h);
  const left = Math.max(rect.x, hole.x);
  const right = Math.min(rect.x + rect.w, hole.x + hole.w);
  return [
    { x: rect.x, y: rect.y, w: rect.w, h: top - rect.y },
    { x: rect.x, y: bottom, w: rect.w, h: rect.y + rect.h - bottom },
    { x: rect.x, y: top, w: left - rect.x, h: bottom - top },
    { x: right, y: top, w: rect.x + rect.w - right, h: bottom - top },
  ].filter((part) => part.w > 0 && part.h > 0);
}

function grown2(rect: Rect, share: number): Rect {
  return { x: rect.x - rect.w * share, y: rect.y - rect.h * share, w: rect.w * (1 + 2 * share), h: rect.h * (1 + 2 * share) };
}
