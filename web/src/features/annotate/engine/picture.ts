/** The picture in halves of halves, so that a small view never draws all its pixels. */
import type { Rect } from "../model/geometry";
import type { Canvas2D } from "./draw";

const SMALLEST = 512;

export class Picture {
  private levels: CanvasImageSource[] = [];

  private constructor(
    readonly width: number,
    readonly height: number,
    source: ImageBitmap,
  ) {
    this.levels = [source];
  }

  static async of(blob: Blob): Promise<Picture> {
    const bitmap = await createImageBitmap(blob, { imageOrientation: "from-image" });
    const picture = new Picture(bitmap.width, bitmap.height, bitmap);
    picture.halve();
    return picture;
  }

  close(): void {
    for (const level of this.levels) if (level instanceof ImageBitmap) level.close();
    this.levels = [];
  }

  /** Draws into a context whose unit is the picture's pixel; `scale` is how large a pixel is shown. */
  draw(g: Canvas2D, visible: Rect, scale: number): void {
    const wanted = Math.max(0, Math.floor(Math.log2(1 / Math.max(scale, 1e-6))));
    const index = Math.min(wanted, this.levels.length - 1);
    const level = this.levels[index];
    if (!level) return;
    const factor = 2 ** index;
    const x0 = Math.max(0, Math.floor(visible.x / factor) * factor);
    const y0 = Math.max(0, Math.floor(visible.y / factor) * factor);
    const x1 = Math.min(this.width, visible.x + visible.w + factor);
    const y1 = Math.min(this.height, visible.y + visible.h + factor);
    if (x1 <= x0 || y1 <= y0) return;
    g.imageSmoothingEnabled = scale < 4;
    g.drawImage(level, x0 / factor, y0 / factor, (x1 - x0) / factor, (y1 - y0) / factor, x0, y0, x1 - x0, y1 - y0);
  }

  /** The pixels of a part of it, no larger than `most` on its longer side. */
  pixels(part: Rect, most: number): { image: ImageData; scale: number } {
    const scale = Math.min(1, most / Math.max(part.w, part.h));
    const [w, h] = [Math.max(1, Math.round(part.w * scale)), Math.max(1, Math.round(part.h * scale))];
    const canvas = new OffscreenCanvas(w, h);
    const g = canvas.getContext("2d", { willReadFrequently: true });
    if (!g) throw new Error("this browser gives no canvas");
    g.scale(w / part.w, h / part.h);
    g.translate(-part.x, -part.y);
    this.draw(g, part, scale);
    return { image: g.getImageData(0, 0, w, h), scale };
  }

  private halve(): void {
    let [w, h] = [this.width, this.height];
    while (Math.max(w, h) > SMALLEST * 2) {
      [w, h] = [Math.ceil(w / 2), Math.ceil(h / 2)];
      const canvas = new OffscreenCanvas(w, h);
      const g = canvas.getContext("2d", { alpha: false });
      const from = this.levels.at(-1);
      if (!g || !from) return;
      g.imageSmoothingQuality = "medium";
      g.drawImage(from, 0, 0, w, h);
      this.levels.push(canvas);
    }
  }
}
