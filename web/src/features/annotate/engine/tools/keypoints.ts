/** One click a point, in the order of the label's skeleton. */
import { distance, rounded } from "../../model/geometry";
import { newId } from "../../model/ids";
import type { Annotation, Keypoint, Label } from "../../model/types";
import { drawShape } from "../draw";
import type { Canvas2D } from "../draw";
import { Tool } from "./tool";
import type { Pointer } from "./tool";

export class KeypointsTool extends Tool {
  readonly cursor = "crosshair";
  private points: Keypoint[] = [];
  private at: readonly [number, number] | null = null;

  override down(at: Pointer): void {
    const label = this.label();
    if (!label) return;
    const last = this.points.at(-1);
    if (at.clicks > 1 && last && distance([last[0], last[1]], at.point) < this.bench.tolerance) return;
    this.place([rounded(at.point[0]), rounded(at.point[1]), at.isAlt ? 1 : 2], label);
  }

  override move(at: Pointer): void {
    this.at = at.point;
    this.bench.redraw();
  }

  override finish(): void {
    const label = this.label();
    if (!label || !this.points.some(([, , v]) => v > 0)) return;
    const missing = (label.skeleton?.points.length ?? 0) - this.points.length;
    for (let i = 0; i < missing; i++) this.points.push([0, 0, 0]);
    this.end(label);
  }

  override cancel(): boolean {
    const had = this.points.length > 0;
    this.points = [];
    this.bench.redraw();
    return had;
  }

  override back(): boolean {
    const had = this.points.pop() !== undefined;
    this.bench.redraw();
    return had;
  }

  /** X leaves a point out. */
  override key(key: string): boolean {
    const label = this.bench.desk.activeLabel();
    if (key !== "x" || !label?.skeleton || this.points.length === 0) return false;
    this.place([0, 0, 0], label);
    return true;
  }

  override draft(): unknown {
    return this.points.length > 0 ? this.points : null;
  }

  override restore(draft: unknown): void {
    this.points = draft as Keypoint[];
    this.bench.redraw();
  }

  override draw(g: Canvas2D): void {
    const label = this.bench.desk.activeLabel();
    const { unit } = this.bench;
    const colour = label?.colour ?? this.bench.palette().unlabelled;
    const shown: Keypoint[] = this.at && label?.skeleton && this.points.length > 0 ? [...this.points, [this.at[0], this.at[1], 2]] : this.points;
    drawShape(g, { id: "", type: "keypoints", points: shown }, label, { colour, unit, fill: 0.2, width: 2 });
    const name = label?.skeleton?.points[this.points.length];
    if (name && this.at) this.caption(g, name);
  }

  private caption(g: Canvas2D, name: string): void {
    const { unit } = this.bench;
    const palette = this.bench.palette();
    const [x, y] = this.at ?? [0, 0];
    g.font = `600 ${12 * unit}px ${palette.font}`;
    g.lineWidth = 3 * unit;
    g.strokeStyle = "black";
    g.fillStyle = "white";
    g.strokeText(name, x + 12 * unit, y - 12 * unit);
    g.fillText(name, x + 12 * unit, y - 12 * unit);
  }

  private label(): Label | null {
    const { desk } = this.bench;
    if (desk.isReadOnly()) return null;
    const label = desk.activeLabel();
    if (!label) desk.wantLabel();
    return label;
  }

  private place(point: Keypoint, label: Label): void {
    this.points.push(point);
    if (label.skeleton && this.points.length >= label.skeleton.points.length) this.end(label);
    this.bench.redraw();
  }

  private end(label: Label): void {
    const points = this.points;
    this.points = [];
    const whole = { id: newId(), ...this.bench.desk.fresh(label), type: "keypoints", label: label.number, points } as Annotation;
    this.bench.desk.change("draw", (list) => [...list, whole]);
    this.bench.desk.select([whole.id]);
    this.bench.desk.drawn(whole.id);
  }
}
