/** Where the words stand that say what was found: at the upper corner of each shape, those that would cover each other in lines. */
import { boundsOf } from "@/features/annotate/model/geometry";
import type { Rect } from "@/features/annotate/model/geometry";
import { outlineOf, readShape } from "@/features/evaluations/painting";
import type { NamedAnnotation } from "@/features/evaluations/result";

/** With more than these, only the one that is pointed at has words: they would hide the picture. */
const MOST = 24;
/** So near, in percent of the picture, words cover each other. */
const NEAR_X = 30;
const NEAR_Y = 8;
/** Right of this words begin at the shape's right edge, and go to the left. */
const RIGHT = 65;
const NOWHERE: Rect = { x: NaN, y: NaN, w: NaN, h: NaN };

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
    const place = placeOf(annotation);
    if (!place || !(width > 0) || !(height > 0)) return;
    const [left = 0, top = 0, right = 0] = [place.x / width, place.y / height, (place.x + place.w) / width].map((part) => Math.min(100, Math.max(0, part * 100)));
    const isRight = left > RIGHT;
    const x = isRight ? right : left;
    const above = tags.filter((other) => other.isRight === isRight && Math.abs(other.x - x) < NEAR_X && Math.abs(other.y - top) < NEAR_Y);
    tags.push({ at, x, y: top, isRight, line: above.length - 1, isCrowded: false });
  });
  return tags.length > MOST ? tags.map((tag) => ({ ...tag, line: -1, isCrowded: true })) : tags;
}

/** Null for what has no place, and for masks: they are told by their colour. */
function placeOf(annotation: NamedAnnotation): Rect | null {
  if (outlineOf(annotation) === "") return null;
  // Of keypoints only the points are drawn, not the box around them.
  const seen = annotation.type === "keypoints" ? { type: annotation.type, points: annotation.points } : annotation;
  const place = readShape(seen, (shape) => boundsOf(shape, () => NOWHERE));
  return place && Object.values(place).every(Number.isFinite) ? place : null;
}
