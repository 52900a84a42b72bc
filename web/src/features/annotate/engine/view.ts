/** From pixels of the picture to pixels of the window and back. */
import type { Rect } from "../model/geometry";
import type { Point } from "../model/types";

const MIN_SCALE = 0.01;
const MAX_SCALE = 64;

export class View {
  scale = 1;
  x = 0;
  y = 0;
  /** Of the window, in CSS pixels. */
  width = 1;
  height = 1;

  toImage(screen: Point): Point {
    return [(screen[0] - this.x) / this.scale, (screen[1] - this.y) / this.scale];
  }

  toScreen(image: Point): Point {
    return [image[0] * this.scale + this.x, image[1] * this.scale + this.y];
  }

  /** What of the picture's plane the window shows. */
  visible(): Rect {
    return { x: -this.x / this.scale, y: -this.y / this.scale, w: this.width / this.scale, h: this.height / this.scale };
  }

  /** A part of the picture's plane as far as the window shows it, up to whole pixels of the screen; null where it does not. */
  onPixels(part: Rect, ratio: number): Rect | null {
    const scale = this.scale * ratio;
    const [left, top] = [this.x * ratio, this.y * ratio];
    const x0 = Math.max(0, Math.floor(part.x * scale + left));
    const y0 = Math.max(0, Math.floor(part.y * scale + top));
    const x1 = Math.min(Math.ceil(this.width * ratio), Math.ceil((part.x + part.w) * scale + left));
    const y1 = Math.min(Math.ceil(this.height * ratio), Math.ceil((part.y + part.h) * scale + top));
    if (x1 <= x0 || y1 <= y0) return null;
    return { x: (x0 - left) / scale, y: (y0 - top) / scale, w: (x1 - x0) / scale, h: (y1 - y0) / scale };
  }

  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
  }

  /** The point of the picture under `at` stays there. */
  zoomAt(at: Point, factor: number): void {
    const next = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
    const real = next / this.scale;
    this.x = at[0] - (at[0] - this.x) * real;
    this.y = at[1] - (at[1] - this.y) * real;
    this.scale = next;
  }

  fit(rect: Rect, margin = 24): void {
    const scale = Math.min((this.width - 2 * margin) / Math.max(rect.w, 1), (this.height - 2 * margin) / Math.max(rect.h, 1));
    this.scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
    this.x = this.width / 2 - (rect.x + rect.w / 2) * this.scale;
    this.y = this.height / 2 - (rect.y + rect.h / 2) * this.scale;
  }
}
