/** Brush and eraser. The brush goes on with the chosen mask of the same label, else it begins a new one. */
import { boundsOfPoints, grown, intersects } from "../../model/geometry";
import { newId } from "../../model/ids";
import { encodeMask } from "../../model/rle";
import type { Annotation, Mask, Point } from "../../model/types";
import type { Canvas2D } from "../draw";
import { windowOf } from "../scene";
import { strokeApplied } from "../strokes";
import { Tool } from "./tool";
import type { Pointer } from "./tool";

export class BrushTool extends Tool {
  readonly cursor = "none";
  private points: number[] = [];
  private at: Point | null = null;

  constructor(
    bench: Tool["bench"],
    private readonly isErasing: boolean,
  ) {
    super(bench);
  }

  override down(at: Pointer): void {
    const { desk } = this.bench;
    if (desk.isReadOnly()) return;
    if (!this.isErasing && !desk.activeLabel()) return desk.wantLabel();
    this.points = [...at.raw];
  }

  override move(at: Pointer, isPressed: boolean): void {
    this.at = at.raw;
    if (isPressed && this.points.length > 0) this.points.push(...at.raw);
    this.bench.redraw();
  }

  override up(): void {
    const points = this.points;
    this.points = [];
    if (points.length === 0) return;
    if (this.isErasing) this.erase(points);
    else this.paint(points);
    this.bench.redraw();
  }

  override cancel(): boolean {
    const had = this.points.length > 0;
    this.points = [];
    return had;
  }

  override draw(g: Canvas2D): void {
    const { desk, unit } = this.bench;
    const palette = this.bench.palette();
    const colour = this.isErasing ? palette.handleEdge : (desk.activeLabel()?.colour ?? palette.unlabelled);
    if (this.points.length > 0) this.preview(g, colour);
    if (!this.at) return;
    g.beginPath();
    g.arc(this.at[0], this.at[1], desk.brushSize() / 2, 0, 2 * Math.PI);
    g.lineWidth = 3 * unit;
    g.strokeStyle = palette.handle;
    g.stroke();
    g.lineWidth = 1.5 * unit;
    g.strokeStyle = colour;
    g.stroke();
  }

  private preview(g: Canvas2D, colour: string): void {
    g.globalAlpha = 0.5;
    g.strokeStyle = colour;
    g.lineWidth = this.bench.desk.brushSize();
    g.lineCap = g.lineJoin = "round";
    g.beginPath();
    g.moveTo(this.points[0] as number, this.points[1] as number);
    for (let i = 0; i < this.points.length; i += 2) g.lineTo(this.points[i] as number, this.points[i + 1] as number);
    g.stroke();
    g.globalAlpha = 1;
    g.lineCap = "butt";
    g.lineJoin = "miter";
  }

  private paint(points: number[]): void {
    const { desk, size } = this.bench;
    const label = desk.activeLabel();
    if (!label) return;
    const current = this.chosen().find((mask) => mask.label === label.number) ?? null;
    const window = strokeApplied(current && windowOf(current), { points, diameter: desk.brushSize() }, false, size);
    if (window.w === 0) return;
    const packed = encodeMask(window, size.height, size.width);
    if (current) return desk.change("paint", (list) => list.map((one) => (one.id === current.id ? { ...current, ...packed } : one)));
    const whole = { id: newId(), ...desk.fresh(label), type: "mask", label: label.number, ...packed } as Annotation;
    desk.change("paint", (list) => [...list, whole]);
    desk.select([whole.id]);
  }

  private erase(points: number[]): void {
    const { desk, scene, size } = this.bench;
    const reach = grown(boundsOfPoints(points), desk.brushSize() / 2);
    const chosen = this.chosen();
    const touched = (chosen.length > 0 ? chosen : scene.shapes.filter((shape): shape is Mask => shape.type === "mask")).filter(
      (mask) => !desk.isLocked(mask.id) && scene.isVisible(mask) && intersects(scene.boundsOf(mask.id) ?? reach, reach),
    );
    const after = new Map(touched.map((mask) => [mask.id, strokeApplied(windowOf(mask), { points, diameter: desk.brushSize() }, true, size)]));
    if (after.size === 0) return;
    desk.change("erase", (list) =>
      list.flatMap((one) => {
        const window = after.get(one.id);
        if (!window || one.type !== "mask") return [one];
        return window.w === 0 ? [] : [{ ...one, ...encodeMask(window, size.height, size.width) }];
      }),
    );
  }

  private chosen(): Mask[] {
    const { desk, scene } = this.bench;
    return [...desk.selection()].map((id) => scene.get(id)).filter((shape): shape is Mask => shape?.type === "mask" && !desk.isLocked(shape.id));
  }
}
