/** Where the words stand that say what was found: at the upper corner of each shape, those that would cover each other in lines. */
import type { NamedAnnotation } from "@/features/evaluations/result";

/** With more than these, only the one that is pointed at has words: they would hide the picture. */
const MOST = 24;
/** So near, in percent of the picture, words cover each other. */
const NEAR_X = 30;
const NEAR_Y = 8;
/** Right of this words begin at the shape's right edge, and go to the left. */
const RIGHT = 65;

export interface Tag {
  /** The annotation's place among all. */
  at: number;
  /** In percent of the picture. */
  x: number;
  y: number;
  isRight: boolean;
  /** Lines below the shape's corner; -1 is above it. */
  line: number;
  isCrowded: boolean;
}

export function tagsOf(annotations: readonly NamedAnnotation[], { width, height }: { width: number; height: number }): Tag[] {
  const tags: Tag[] = [];
  annotations.forEach((annotation, at) => {
    const bounds = boundsOf(annotation);
    if (!bounds || !(width > 0) || !(height > 0)) return;
    const [left = 0, top = 0, right = 0] = [bounds.left / width, bounds.top / height, bounds.right / width].map((part) => Math.min(100, Math.max(0, part * 100)));
    const isRight = left > RIGHT;
    const x = isRight ? right : left;
    const above = tags.filter((other) => other.isRight === isRight && Math.abs(other.x - x) < NEAR_X && Math.abs(other.y - top) < NEAR_Y);
    tags.push({ at, x, y: top, isRight, line: above.length - 1, isCrowded: false });
  });
  return tags.length > MOST ? tags.map((tag) => ({ ...tag, line: -1, isCrowded: true })) : tags;
}

interface Bounds {
  left: number;
  top: number;
  right: number;
}

/** Null for what has no place, and for masks: they are told by their colour. An answer may be anybody's: fields may be missing. */
function boundsOf(annotation: NamedAnnotation): Bounds | null {
  const points = cornersOf(annotation);
  if (points.length < 2 || !points.every((value) => Number.isFinite(value))) return null;
  const xs = points.filter((_, index) => index % 2 === 0);
  const ys = points.filter((_, index) => index % 2 === 1);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs) };
}

function cornersOf(annotation: NamedAnnotation): number[] {
  switch (annotation.type) {
    case "box":
      return [annotation.x, annotation.y, annotation.x + annotation.w, annotation.y + annotation.h];
    case "circle":
      return [annotation.x - annotation.r, annotation.y - annotation.r, annotation.x + annotation.r, annotation.y + annotation.r];
    case "point":
      return [annotation.x, annotation.y];
    case "polygon":
      return listed(listed(annotation.rings)[0]) as number[];
    case "polyline":
      return listed(annotation.points) as number[];
    case "keypoints":
      return listed(annotation.points).flatMap((point) => (Array.isArray(point) && point[2] !== 0 ? (point.slice(0, 2) as number[]) : []));
    default:
      return [];
  }
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
