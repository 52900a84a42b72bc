/** The corner, edge or border of the picture a point is drawn to. */
import { corners, distance, nearestOnSegment } from "../model/geometry";
import type { Point, Shape } from "../model/types";
import { edgesOf } from "./hit";
import type { Scene } from "./scene";

export interface Snapped {
  point: Point;
  /** What was met, to show it; null when nothing was near. */
  onto: "vertex" | "edge" | "border" | null;
}

export function snapped(scene: Scene, point: Point, tolerance: number, size: { width: number; height: number }, except: ReadonlySet<string>): Snapped {
  const near = scene.inside({ x: point[0] - tolerance, y: point[1] - tolerance, w: 2 * tolerance, h: 2 * tolerance }).filter((shape) => !except.has(shape.id));
  const outlines = near.flatMap(outlinesOf);
  const vertex = nearest(point, outlines.flat(), tolerance);
  if (vertex) return { point: vertex, onto: "vertex" };
  const onEdges = outlines.flatMap((ring) => edgesOf(ring.flat(), true).map(([a, b]) => nearestOnSegment(point, a, b)));
  const edge = nearest(point, onEdges, tolerance);
  if (edge) return { point: edge, onto: "edge" };
  return border(point, tolerance, size);
}

function outlinesOf(shape: Shape): Point[][] {
  if (shape.type === "box") return [corners(shape)];
  if (shape.type === "polygon") return shape.rings.map(pairs);
  if (shape.type === "polyline") return [pairs(shape.points)];
  if (shape.type === "point") return [[[shape.x, shape.y]]];
  return [];
}

function pairs(flat: number[]): Point[] {
  const points: Point[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) points.push([flat[i] as number, flat[i + 1] as number]);
  return points;
}

function nearest(point: Point, among: Point[], tolerance: number): Point | null {
  let [best, least]: [Point | null, number] = [null, tolerance];
  for (const one of among) {
    const away = distance(point, one);
    if (away <= least) [best, least] = [one, away];
  }
  return best;
}

function border(point: Point, tolerance: number, { width, height }: { width: number; height: number }): Snapped {
  const pull = (value: number, edge: number) => (Math.abs(value - edge) <= tolerance ? edge : value);
  const next: Point = [pull(pull(point[0], 0), width), pull(pull(point[1], 0), height)];
  return { point: next, onto: next[0] !== point[0] || next[1] !== point[1] ? "border" : null };
}

export function clamped(point: Point, { width, height }: { width: number; height: number }): Point {
  return [Math.min(width, Math.max(0, point[0])), Math.min(height, Math.max(0, point[1]))];
}
