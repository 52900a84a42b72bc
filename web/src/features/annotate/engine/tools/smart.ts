/** Click on a thing and get its outline: more clicks refine it, Alt marks what does not belong, a drag gives a box around it. */
import { boundsOfPoints, distance, rectOf, rounded, roundedAll } from "../../model/geometry";
import type { Rect } from "../../model/geometry";
import { newId } from "../../model/ids";
import { encodeMask, trimmed } from "../../model/rle";
import type { MaskWindow } from "../../model/rle";
import type { Annotation, Point, Shape } from "../../model/types";
import { outlines } from "../../smart/outline";
import type { SmartTool } from "../../smart/smart-tool";
import { drawShape } from "../draw";
import type { Canvas2D } from "../draw";
import { copyInto } from "../strokes";
import { Tool } from "./tool";
import type { Bench, Pointer } from "./tool";

/** Larger parts of a picture are looked at smaller: growing takes time in proportion to pixels. */
const MOST_PX = 900;
const STEP = 0.06;

export type SmartShape = "polygon" | "mask" | "box";

export class SmartPointTool extends Tool {
  readonly cursor = "crosshair";
  private inside: Point[] = [];
  private outside: Point[] = [];
  private box: Rect | null = null;
  private from: Pointer | null = null;
  private to: Point | null = null;
  private tolerance = 0.35;
  private found: Shape | null = null;
  private asked = 0;

  constructor(
    bench: Bench,
    private readonly helper: SmartTool,
    private readonly shape: () => SmartShape,
    private readonly failed: (error: unknown) => void,
  ) {
    super(bench);
  }

  override down(at: Pointer): void {
    const { desk } = this.bench;
    if (desk.isReadOnly()) return;
    if (!desk.activeLabel()) return desk.wantLabel();
    if (at.clicks > 1) return this.finish();
    this.from = at;
  }

  override move(at: Pointer, isPressed: boolean): void {
    this.to = isPressed && this.from ? at.raw : null;
    if (this.to) this.bench.redraw();
  }

  override up(at: Pointer): void {
    const from = this.from;
    this.from = this.to = null;
    if (!from) return;
    if (distance(from.screen, at.screen) > 6 && this.helper.takes.box) {
      this.box = rectOf(from.raw, at.raw);
      this.inside = this.outside = [];
    } else if (at.isAlt) this.outside = [...this.outside, at.raw];
    else this.inside = [...this.inside, at.raw];
    if (this.inside.length > 0) this.box = null;
    void this.ask();
  }

  override finish(): void {
    const { desk } = this.bench;
    const [found, label] = [this.found, desk.activeLabel()];
    if (!found || !label) return;
    this.cancel();
    const whole = { ...desk.fresh(label), ...found, id: newId(), label: label.number } as Annotation;
    desk.change("smart", (list) => [...list, whole]);
    desk.select([whole.id]);
    desk.drawn(whole.id);
  }

  override cancel(): boolean {
    const had = this.found !== null || this.inside.length > 0 || this.box !== null;
    this.inside = [];
    this.outside = [];
    this.box = null;
    this.found = null;
    this.asked++;
    this.bench.redraw();
    return had;
  }

  override back(): boolean {
    if (this.inside.length + this.outside.length < 2) return this.cancel();
    if (this.outside.length > 0) this.outside = this.outside.slice(0, -1);
    else this.inside = this.inside.slice(0, -1);
    void this.ask();
    return true;
  }

  override isDrawing(): boolean {
    return this.found !== null;
  }

  /** A little more or a little less. */
  override key(key: string): boolean {
    if (!this.found || (key !== "[" && key !== "]")) return false;
    this.tolerance = Math.min(1, Math.max(0.05, this.tolerance + (key === "]" ? STEP : -STEP)));
    void this.ask();
    return true;
  }

  override draw(g: Canvas2D): void {
    const { unit, desk } = this.bench;
    const palette = this.bench.palette();
    const label = desk.activeLabel();
    const colour = label?.colour ?? palette.unlabelled;
    if (this.found) drawShape(g, this.found, label, { colour, unit, fill: 0.35, width: 2, isDashed: true });
    if (this.from && this.to) drawShape(g, { id: "", type: "box", ...rectOf(this.from.raw, this.to) }, null, { colour, unit, fill: 0, width: 1.5, isDashed: true });
    g.setLineDash([]);
    for (const [points, fill] of [[this.inside, colour], [this.outside, palette.handleEdge]] as const) {
      for (const [x, y] of points) {
        g.beginPath();
        g.arc(x, y, 5 * unit, 0, 2 * Math.PI);
        g.fillStyle = fill;
        g.fill();
        g.strokeStyle = palette.handle;
        g.lineWidth = 1.5 * unit;
        g.stroke();
      }
    }
  }

  private async ask(): Promise<void> {
    const number = ++this.asked;
    this.bench.setBusy(true);
    try {
      const found = await segment(this.bench, this.helper, { inside: this.inside, outside: this.outside, box: this.box, tolerance: this.tolerance });
      if (number !== this.asked) return;
      this.found = found && shapeOf(found, this.shape(), this.bench);
      this.bench.redraw();
    } catch (error) {
      this.failed(error);
    } finally {
      if (number === this.asked) this.bench.setBusy(false);
    }
  }
}

interface Found {
  window: MaskWindow;
  area: Rect;
  scale: number;
}

/** Asks the helper about what is visible (and, with a box, around it). */
export async function segment(
  bench: Bench,
  helper: SmartTool,
  marks: { inside: Point[]; outside: Point[]; box: Rect | null; tolerance: number },
): Promise<Found | null> {
  if (!bench.picture) return null;
  const area = lookedAt(bench, marks.box);
  if (area.w < 2 || area.h < 2) return null;
  const { image, scale } = bench.picture.pixels(area, MOST_PX);
  const window = await helper.segment({ image, area, scale, ...marks });
  return window && { window, area, scale };
}

function lookedAt(bench: Bench, box: Rect | null): Rect {
  const wanted = box ? { x: box.x - box.w * 0.4, y: box.y - box.h * 0.4, w: box.w * 1.8, h: box.h * 1.8 } : bench.view.visible();
  const x = Math.max(0, Math.floor(wanted.x));
  const y = Math.max(0, Math.floor(wanted.y));
  return { x, y, w: Math.min(bench.size.width, Math.ceil(wanted.x + wanted.w)) - x, h: Math.min(bench.size.height, Math.ceil(wanted.y + wanted.h)) - y };
}

export function ringsOf({ window, area, scale }: Found): number[][] {
  return outlines(window, 0.9).map((ring) => roundedAll(ring.map((value, i) => value / scale + (i % 2 === 0 ? area.x : area.y))));
}

export function shapeOf(found: Found, as: SmartShape, bench: Bench): Shape | null {
  const rings = ringsOf(found);
  const [largest] = rings;
  if (!largest) return null;
  if (as === "polygon") return { id: "", type: "polygon", rings: [largest] };
  if (as === "box") {
    const { x, y, w, h } = boundsOfPoints(largest);
    return { id: "", type: "box", x: rounded(x), y: rounded(y), w: rounded(w), h: rounded(h) };
  }
  return { id: "", type: "mask", ...encodeMask(enlarged(found, bench.size), bench.size.height, bench.size.width) };
}

/** The mask in pixels of the picture. */
function enlarged({ window, area, scale }: Found, size: { width: number; height: number }): MaskWindow {
  const [w, h] = [Math.min(area.w, size.width - area.x), Math.min(area.h, size.height - area.y)];
  const data = new Uint8Array(w * h);
  if (scale === 1) copyInto(data, { x: 0, y: 0, w, h }, window);
  else {
    for (let y = 0; y < h; y++) {
      const row = Math.min(window.h - 1, Math.floor((y + 0.5) * scale)) * window.w;
      for (let x = 0; x < w; x++) data[y * w + x] = window.data[row + Math.min(window.w - 1, Math.floor((x + 0.5) * scale))] as number;
    }
  }
  return trimmed({ x: area.x, y: area.y, w, h, data });
}
