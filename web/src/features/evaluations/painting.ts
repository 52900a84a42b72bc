/** What covers a picture, painted pixel by pixel: a segmentation beside its truth is judged by its areas, not by outlines. */
import { decodeMask, unpackCounts } from "@/features/annotate/model/rle";
import { bonesPath, shapePath } from "@/features/annotate/model/shape-path";
import type { Edges } from "@/features/annotate/model/skeleton";
import type { Mask, Shape } from "@/features/annotate/model/types";
import type { NamedAnnotation } from "./result";

const KINDS = new Set(["box", "polygon", "mask", "keypoints", "polyline", "point", "circle"]);
const ALPHA = 0.6;

export function isDrawn(annotation: NamedAnnotation): boolean {
  return KINDS.has(annotation.type);
}

/** Whether nothing but points is drawn of it. */
export function isDots(annotation: NamedAnnotation | undefined): boolean {
  return annotation?.type === "keypoints" || annotation?.type === "point";
}

export function hasAreas(annotations: readonly NamedAnnotation[]): boolean {
  return annotations.some((one) => one.type === "mask");
}

/** An outline; empty for what cannot be drawn. */
export function outlineOf(annotation: NamedAnnotation): string {
  return readShape(annotation, (shape) => shapePath(shape)) ?? "";
}

/** The lines between keypoints, which are thinner than the points; empty for everything else, and where no skeleton is known. */
export function bonesIn(annotation: NamedAnnotation, edges: Edges | undefined): string {
  return readShape(annotation, (shape) => (shape.type === "keypoints" ? bonesPath(shape.points, edges) : "")) ?? "";
}

/** What is found of it as a shape; null for what is none. It may be anybody's: fields may be missing or of another form. */
export function readShape<T>(annotation: NamedAnnotation, read: (shape: Shape) => T): T | null {
  if (!isDrawn(annotation)) return null;
  try {
    return read(annotation as unknown as Shape);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Runs that are more than their picture are no mask. */
export function isSound({ size, rle }: Pick<Mask, "size" | "rle">): boolean {
  if (!Array.isArray(size) || typeof rle !== "string") return false;
  const runs = unpackCounts(rle);
  return runs.every((run) => run >= 0) && runs.reduce((total, run) => total + run, 0) <= size[0] * size[1];
}

export function paint(context: CanvasRenderingContext2D, annotations: readonly NamedAnnotation[], colourOf: (label: string | undefined) => string): void {
  context.globalAlpha = ALPHA;
  for (const one of annotations) {
    context.fillStyle = colourOf(one.label);
    if (one.type === "mask") paintMask(context, one as unknown as Mask);
    else if (isDrawn(one)) context.fill(new Path2D(outlineOf(one)), "evenodd");
  }
}

/** Run by run along the rows: exact, and without a second canvas. */
function paintMask(context: CanvasRenderingContext2D, mask: Mask): void {
  if (!isSound(mask)) return;
  const { x, y, w, h, data } = decodeMask(mask);
  for (let row = 0; row < h; row++) {
    for (let column = 0; column < w; column++) {
      if (data[row * w + column] !== 1) continue;
      const from = column;
      while (column < w && data[row * w + column] === 1) column++;
      context.fillRect(x + from, y + row, column - from, 1);
    }
  }
}
