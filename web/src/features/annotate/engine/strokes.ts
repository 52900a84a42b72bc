/** Painting into masks: a stroke of a round brush laid on, or taken from, the pixels that are there. */
import { boundsOfPoints, grown, union } from "../model/geometry";
import type { Rect } from "../model/geometry";
import { trimmed } from "../model/rle";
import type { MaskWindow } from "../model/rle";

export interface Stroke {
  /** x, y, x, y … in pixels of the picture. */
  points: number[];
  diameter: number;
}

/** The mask's pixels after the stroke, within the picture. */
export function strokeApplied(window: MaskWindow | null, stroke: Stroke, isErasing: boolean, size: { width: number; height: number }): MaskWindow {
  const reach = grown(boundsOfPoints(stroke.points), stroke.diameter / 2 + 1);
  const area = within(isErasing && window ? window : union(window && window.w > 0 ? window : null, reach), size);
  const data = new Uint8Array(area.w * area.h);
  if (window) copyInto(data, area, window);
  stamp(data, area, stroke, isErasing ? 0 : 1);
  return trimmed({ ...area, data });
}

function within(rect: Rect, { width, height }: { width: number; height: number }): Rect {
  const x = Math.max(0, Math.floor(rect.x));
  const y = Math.max(0, Math.floor(rect.y));
  return { x, y, w: Math.max(0, Math.min(width, Math.ceil(rect.x + rect.w)) - x), h: Math.max(0, Math.min(height, Math.ceil(rect.y + rect.h)) - y) };
}

export function copyInto(data: Uint8Array, area: Rect, window: MaskWindow): void {
  const [x0, x1] = [Math.max(area.x, window.x), Math.min(area.x + area.w, window.x + window.w)];
  const [y0, y1] = [Math.max(area.y, window.y), Math.min(area.y + area.h, window.y + window.h)];
  for (let y = y0; y < y1; y++) {
    const from = (y - window.y) * window.w - window.x;
    const to = (y - area.y) * area.w - area.x;
    for (let x = x0; x < x1; x++) if (window.data[from + x]) data[to + x] = 1;
  }
}

function stamp(data: Uint8Array, area: Rect, { points, diameter }: Stroke, value: 0 | 1): void {
  const radius = Math.max(0.5, diameter / 2);
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i] as number, points[i + 1] as number];
    const [px, py] = i >= 2 ? [points[i - 2] as number, points[i - 1] as number] : [x, y];
    capsule(data, area, [px, py, x, y], radius, value);
  }
}

/** All pixels whose centre is within the radius of the line. */
function capsule(data: Uint8Array, area: Rect, [ax, ay, bx, by]: [number, number, number, number], radius: number, value: 0 | 1): void {
  const y0 = Math.max(area.y, Math.floor(Math.min(ay, by) - radius));
  const y1 = Math.min(area.y + area.h - 1, Math.ceil(Math.max(ay, by) + radius));
  const x0 = Math.max(area.x, Math.floor(Math.min(ax, bx) - radius));
  const x1 = Math.min(area.x + area.w - 1, Math.ceil(Math.max(ax, bx) + radius));
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  for (let y = y0; y <= y1; y++) {
    for (let x = x0; x <= x1; x++) {
      const [px, py] = [x + 0.5 - ax, y + 0.5 - ay];
      const t = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length));
      const [ox, oy] = [px - t * dx, py - t * dy];
      if (ox * ox + oy * oy <= radius * radius) data[(y - area.y) * area.w + x - area.x] = value;
    }
  }
}
