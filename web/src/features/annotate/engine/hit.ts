/** Whether a point of the picture touches a shape, and which handle of a chosen shape it touches. */
import { centreOf, corners, distance, distanceToSegment, isInPolygon, isInRing, rotated } from "../model/geometry";
import { isInMask } from "../model/rle";
import { bonesOf } from "../model/skeleton";
import type { Box, Label, Point, Shape } from "../model/types";
import { windowOf } from "./scene";

export function isHit(shape: Shape, p: Point, tolerance: number, label: Label | null): boolean {
  switch (shape.type) {
    case "box":
      return isInRing(p, corners(shape).flat()) || nearRing(p, corners(shape).flat(), tolerance, true);
    case "polygon":
      return isInPolygon(p, shape.rings, shape.holes) || shape.rings.some((ring) => nearRing(p, ring, tolerance, true));
    case "polyline":
      return nearRing(p, shape.points, tolerance, false);
    case "point":
      return distance(p, [shape.x, shape.y]) <= tolerance * 1.5;
    case "circle":
      return distance(p, [shape.x, shape.y]) <= shape.r + tolerance;
    case "mask":
      return isInMask(windowOf(shape), p[0], p[1]);
    case "keypoints":
      return nearSkeleton(shape.points, p, tolerance, label);
  }
}

function nearSkeleton(points: [number, number, number][], p: Point, tolerance: number, label: Label | null): boolean {
  if (points.some(([x, y, v]) => v > 0 && distance(p, [x, y]) <= tolerance * 1.5)) return true;
  return bonesOf(points, label?.skeleton?.edges).some(([a, b]) => distanceToSegment(p, [a[0], a[1]], [b[0], b[1]]) <= tolerance);
}

function nearRing(p: Point, ring: number[], tolerance: number, isClosed: boolean): boolean {
  return edgesOf(ring, isClosed).some(([a, b]) => distanceToSegment(p, a, b) <= tolerance);
}

export function edgesOf(ring: number[], isClosed: boolean): [Point, Point][] {
  const edges: [Point, Point][] = [];
  for (let i = 0; i + 3 < ring.length; i += 2) edges.push([pointAt(ring, i), pointAt(ring, i + 2)]);
  if (isClosed && ring.length >= 6) edges.push([pointAt(ring, ring.length - 2), pointAt(ring, 0)]);
  return edges;
}

export function pointAt(ring: number[], i: number): Point {
  return [ring[i] as number, ring[i + 1] as number];
}

export interface Handle {
  at: Point;
  /** What dragging it changes. */
  kind: "corner" | "edge" | "rotate" | "vertex" | "midpoint" | "keypoint" | "radius" | "frame";
  /** Of the corner, edge, vertex (flat index) or keypoint. */
  index: number;
  ring?: number;
}

const ROTATE_OFFSET = 26;

/** `unit`: how much of the picture one pixel of the window is. */
export function handlesOf(shape: Shape, unit: number): Handle[] {
  switch (shape.type) {
    case "box":
      return boxHandles(shape, unit);
    case "polygon":
      return shape.rings.flatMap((ring, i) => vertexHandles(ring, true, i));
    case "polyline":
      return vertexHandles(shape.points, false, 0);
    case "keypoints":
      return shape.points.flatMap(([x, y, v], index) => (v > 0 ? [{ at: [x, y] as Point, kind: "keypoint" as const, index }] : []));
    case "circle":
      return [{ at: [shape.x + shape.r, shape.y], kind: "radius", index: 0 }];
    default:
      return [];
  }
}

function boxHandles(box: Box, unit: number): Handle[] {
  const c = corners(box);
  const middle = (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const edges = c.map((corner, i) => middle(corner, c[(i + 1) % 4] as Point));
  const above: Point = rotated([box.x + box.w / 2, box.y - ROTATE_OFFSET * unit], centreOf(box), box.angle ?? 0);
  const isRoomy = Math.min(box.w, box.h) / unit > 28;
  return [
    ...c.map((at, index): Handle => ({ at, kind: "corner", index })),
    ...(isRoomy ? edges.map((at, index): Handle => ({ at, kind: "edge", index })) : []),
    { at: above, kind: "rotate", index: 0 },
  ];
}

function vertexHandles(ring: number[], isClosed: boolean, which: number): Handle[] {
  const vertices: Handle[] = [];
  for (let i = 0; i < ring.length; i += 2) vertices.push({ at: pointAt(ring, i), kind: "vertex", index: i, ring: which });
  const middles = edgesOf(ring, isClosed).map(([a, b], i): Handle => ({ at: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], kind: "midpoint", index: 2 * i + 2, ring: which }));
  return [...vertices, ...middles];
}

/** Vertices win over the midpoints between them. */
export function handleAt(shape: Shape, p: Point, tolerance: number, unit: number): Handle | null {
  const near = handlesOf(shape, unit).filter((handle) => distance(handle.at, p) <= tolerance);
  return near.find((handle) => handle.kind !== "midpoint" && handle.kind !== "edge") ?? near[0] ?? null;
}
