/** A shape with one of its handles dragged to a place. */
import { centreOf, corners, distance, rotated, rounded } from "../model/geometry";
import { omit } from "../model/omit";
import type { Box, Keypoint, Point, Polygon, Polyline, Shape } from "../model/types";
import type { Handle } from "./hit";

export interface Drag {
  /** Keep the proportions, or turn in steps of 15 degrees. */
  isConstrained: boolean;
}

export function reshaped(shape: Shape, handle: Handle, to: Point, drag: Drag): Shape {
  switch (shape.type) {
    case "box":
      return handle.kind === "rotate" ? turned(shape, to, drag) : resized(shape, handle, to, drag);
    case "polygon":
      return withVertex(shape, handle, to);
    case "polyline":
      return { ...shape, points: ringWith(shape.points, handle, to) };
    case "keypoints":
      return { ...shape, points: shape.points.map((point, i) => (i === handle.index ? ([rounded(to[0]), rounded(to[1]), Math.max(1, point[2])] as Keypoint) : point)) };
    case "circle":
      return { ...shape, r: rounded(Math.max(1, distance([shape.x, shape.y], to))) };
    default:
      return shape;
  }
}

function turned(box: Box, to: Point, { isConstrained }: Drag): Box {
  const [cx, cy] = centreOf(box);
  const raw = (Math.atan2(to[1] - cy, to[0] - cx) * 180) / Math.PI + 90;
  const step = isConstrained ? 15 : 0.1;
  return withAngle(box, Math.round(raw / step) * step);
}

export function withAngle(box: Box, degrees: number): Box {
  const angle = rounded(((((degrees + 180) % 360) + 360) % 360) - 180);
  const plain = omit(box, "angle");
  return angle === 0 ? plain : { ...plain, angle };
}

/** The opposite corner or edge stays where it is, also in a turned box. */
function resized(box: Box, handle: Handle, to: Point, { isConstrained }: Drag): Box {
  const angle = box.angle ?? 0;
  const c = corners(box);
  const opposite = handle.kind === "corner" ? (c[(handle.index + 2) % 4] as Point) : edgeMiddle(c, (handle.index + 2) % 4);
  const local = rotated(to, opposite, -angle);
  const [dx, dy] = [local[0] - opposite[0], local[1] - opposite[1]];
  const isAcross = handle.kind === "edge" && handle.index % 2 === 0;
  const isAlong = handle.kind === "edge" && handle.index % 2 === 1;
  let w = isAcross ? box.w : Math.abs(dx);
  let h = isAlong ? box.h : Math.abs(dy);
  if (isConstrained && handle.kind === "corner" && box.w > 0 && box.h > 0) {
    const factor = Math.max(w / box.w, h / box.h);
    [w, h] = [box.w * factor, box.h * factor];
  }
  const middle: Point = [opposite[0] + (isAcross ? 0 : (Math.sign(dx) || 1) * (w / 2)), opposite[1] + (isAlong ? 0 : (Math.sign(dy) || 1) * (h / 2))];
  const centre = rotated(middle, opposite, angle);
  return { ...box, x: rounded(centre[0] - w / 2), y: rounded(centre[1] - h / 2), w: rounded(w), h: rounded(h) };
}

function edgeMiddle(c: readonly Point[], i: number): Point {
  const [a, b] = [c[i] as Point, c[(i + 1) % 4] as Point];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function withVertex(shape: Polygon, handle: Handle, to: Point): Polygon {
  return { ...shape, rings: shape.rings.map((ring, i) => (i === (handle.ring ?? 0) ? ringWith(ring, handle, to) : ring)) };
}

function ringWith(ring: number[], handle: Handle, to: Point): number[] {
  const next = [...ring];
  next.splice(handle.index, handle.kind === "midpoint" ? 0 : 2, rounded(to[0]), rounded(to[1]));
  return next;
}

/** Without one vertex; null when too little would be left. */
export function withoutVertex(shape: Polygon | Polyline, handle: Handle): Shape | null {
  if (shape.type === "polyline") {
    const points = shape.points.filter((_, i) => i !== handle.index && i !== handle.index + 1);
    return points.length >= 4 ? { ...shape, points } : null;
  }
  const which = handle.ring ?? 0;
  const ring = (shape.rings[which] ?? []).filter((_, i) => i !== handle.index && i !== handle.index + 1);
  if (ring.length >= 6) return { ...shape, rings: shape.rings.map((old, i) => (i === which ? ring : old)) };
  return withoutRing(shape, which);
}

function withoutRing(shape: Polygon, which: number): Polygon | null {
  const rings = shape.rings.filter((_, i) => i !== which);
  if (rings.length === 0) return null;
  const holes = (shape.holes ?? []).filter((hole) => hole !== which).map((hole) => (hole > which ? hole - 1 : hole));
  const plain = omit(shape, "holes");
  return holes.length > 0 ? { ...plain, rings, holes } : { ...plain, rings };
}
