/** Plain geometry of shapes, in pixels of the picture. */
import type { Annotation, Box, Keypoints, Point, Shape } from "./types";

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export function rectOf(a: Point, b: Point): Rect {
  return { x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]), w: Math.abs(a[0] - b[0]), h: Math.abs(a[1] - b[1]) };
}

export function intersects(a: Rect, b: Rect): boolean {
  return a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
}

export function contains(outer: Rect, inner: Rect): boolean {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.w <= outer.x + outer.w && inner.y + inner.h <= outer.y + outer.h;
}

export function grown(rect: Rect, by: number): Rect {
  return { x: rect.x - by, y: rect.y - by, w: rect.w + 2 * by, h: rect.h + 2 * by };
}

export function union(a: Rect | null, b: Rect): Rect {
  if (!a) return b;
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}

export function boundsOfPoints(flat: number[]): Rect {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    x0 = Math.min(x0, flat[i] as number);
    x1 = Math.max(x1, flat[i] as number);
    y0 = Math.min(y0, flat[i + 1] as number);
    y1 = Math.max(y1, flat[i + 1] as number);
  }
  return x0 === Infinity ? { x: 0, y: 0, w: 0, h: 0 } : { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
}

export function rotated(point: Point, centre: Point, degrees: number): Point {
  if (degrees === 0) return point;
  const angle = (degrees * Math.PI) / 180;
  const [dx, dy] = [point[0] - centre[0], point[1] - centre[1]];
  return [centre[0] + dx * Math.cos(angle) - dy * Math.sin(angle), centre[1] + dx * Math.sin(angle) + dy * Math.cos(angle)];
}

export function centreOf(box: Rect): Point {
  return [box.x + box.w / 2, box.y + box.h / 2];
}

/** Top left, top right, bottom right, bottom left of the box as it stands. */
export function corners(box: Box): [Point, Point, Point, Point] {
  const c = centreOf(box);
  const turn = (x: number, y: number) => rotated([x, y], c, box.angle ?? 0);
  return [turn(box.x, box.y), turn(box.x + box.w, box.y), turn(box.x + box.w, box.y + box.h), turn(box.x, box.y + box.h)];
}

export function boundsOf(shape: Shape, maskBounds: (shape: Shape) => Rect): Rect {
  switch (shape.type) {
    case "box":
      return shape.angle ? boundsOfPoints(corners(shape).flat()) : { x: shape.x, y: shape.y, w: shape.w, h: shape.h };
    case "polygon":
      return boundsOfPoints(shape.rings.flat());
    case "polyline":
      return boundsOfPoints(shape.points);
    case "keypoints":
      return keypointBounds(shape);
    case "point":
      return { x: shape.x, y: shape.y, w: 0, h: 0 };
    case "circle":
      return { x: shape.x - shape.r, y: shape.y - shape.r, w: 2 * shape.r, h: 2 * shape.r };
    case "mask":
      return maskBounds(shape);
  }
}

function keypointBounds(shape: Keypoints): Rect {
  const placed = shape.points.filter(([, , v]) => v > 0);
  const own = placed.length > 0 ? boundsOfPoints(placed.flatMap(([x, y]) => [x, y])) : null;
  if (shape.w === undefined || shape.x === undefined) return own ?? { x: 0, y: 0, w: 0, h: 0 };
  return union(own, { x: shape.x, y: shape.y ?? 0, w: shape.w, h: shape.h ?? 0 });
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

export function distanceToSegment(p: Point, a: Point, b: Point): number {
  return distance(p, nearestOnSegment(p, a, b));
}

export function nearestOnSegment(p: Point, a: Point, b: Point): Point {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = dx * dx + dy * dy;
  if (length === 0) return a;
  const t = Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length));
  return [a[0] + t * dx, a[1] + t * dy];
}

/** Even-odd over one ring. */
export function isInRing(p: Point, ring: number[]): boolean {
  let isIn = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
    const [xi, yi, xj, yj] = [ring[i] as number, ring[i + 1] as number, ring[j] as number, ring[j + 1] as number];
    if (yi > p[1] !== yj > p[1] && p[0] < ((xj - xi) * (p[1] - yi)) / (yj - yi) + xi) isIn = !isIn;
  }
  return isIn;
}

export function isInPolygon(p: Point, rings: number[][], holes: number[] = []): boolean {
  return rings.some((ring, i) => !holes.includes(i) && isInRing(p, ring)) && !holes.some((hole) => isInRing(p, rings[hole] ?? []));
}

export function ringArea(ring: number[]): number {
  let sum = 0;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
    sum += (ring[j] as number) * (ring[i + 1] as number) - (ring[i] as number) * (ring[j + 1] as number);
  }
  return Math.abs(sum) / 2;
}

/** Two decimals are finer than a pixel can show, and keep what is stored short. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

export function roundedAll(values: number[]): number[] {
  return values.map(rounded);
}

/** The annotation moved; masks and what has no place stay as they are. */
export function moved<T extends Annotation>(annotation: T, dx: number, dy: number): T {
  const flat = (points: number[]) => points.map((value, i) => rounded(value + (i % 2 === 0 ? dx : dy)));
  const shape = annotation as Annotation;
  switch (shape.type) {
    case "box":
    case "point":
    case "circle":
      return { ...shape, x: rounded(shape.x + dx), y: rounded(shape.y + dy) } as Annotation as T;
    case "polygon":
      return { ...shape, rings: shape.rings.map(flat) } as Annotation as T;
    case "polyline":
      return { ...shape, points: flat(shape.points) } as Annotation as T;
    case "keypoints":
      return movedKeypoints(shape, dx, dy) as Annotation as T;
    default:
      return annotation;
  }
}

function movedKeypoints(shape: Keypoints, dx: number, dy: number): Keypoints {
  const points = shape.points.map(([x, y, v]) => (v === 0 ? [x, y, v] : [rounded(x + dx), rounded(y + dy), v]) as [number, number, number]);
  if (shape.x === undefined || shape.y === undefined) return { ...shape, points };
  return { ...shape, points, x: rounded(shape.x + dx), y: rounded(shape.y + dy) };
}

/** Drops vertices that lie within `tolerance` of the line through their neighbours (Douglas–Peucker). */
export function simplified(ring: number[], tolerance: number): number[] {
  const count = ring.length / 2;
  if (count < 4) return ring;
  const keep = new Uint8Array(count);
  keep[0] = keep[count - 1] = 1;
  const spans: [number, number][] = [[0, count - 1]];
  const at = (i: number): Point => [ring[2 * i] as number, ring[2 * i + 1] as number];
  while (spans.length > 0) {
    const [from, to] = spans.pop() as [number, number];
    let [worst, index] = [tolerance, -1];
    for (let i = from + 1; i < to; i++) {
      const off = distanceToSegment(at(i), at(from), at(to));
      if (off > worst) [worst, index] = [off, i];
    }
    if (index < 0) continue;
    keep[index] = 1;
    spans.push([from, index], [index, to]);
  }
  return ring.filter((_, i) => keep[i >> 1]);
}
