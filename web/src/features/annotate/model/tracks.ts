/** Between two key frames a thing moves in a straight line. */
import { boundsOfPoints, rounded } from "./geometry";
import { omit } from "./omit";
import type { Annotation, Box, Item, Polygon } from "./types";

export interface Frame {
  seq: number;
  /** When: the frame's number or its time, whichever the item tells. */
  at: number;
  annotations: readonly Annotation[];
}

export function frameOf(item: Item, annotations: readonly Annotation[]): Frame {
  const { frame, time } = item.info;
  const at = typeof frame === "number" ? frame : typeof time === "number" ? time : item.seq;
  return { seq: item.seq, at, annotations };
}

/** Frames of one video have the same source, or lie in the same folder. */
export function videoOf(item: Item): string {
  const { video } = item.info;
  return typeof video === "string" ? video : item.path.slice(0, item.path.lastIndexOf("/") + 1);
}

type Tracked = Box | Polygon;

function keyOf(frame: Frame, track: string): Tracked | null {
  const found = frame.annotations.find((one) => one.track === track && !one.auto);
  return found?.type === "box" || found?.type === "polygon" ? found : null;
}

/**
 * The lists of the frames whose computed shapes of the track change, given frames in order. Frames after the last key and
 * before the first keep what they have.
 */
export function interpolated(frames: readonly Frame[], track: string, newId: () => string): Map<number, Annotation[]> {
  const changed = new Map<number, Annotation[]>();
  let from: { frame: Frame; key: Tracked; index: number } | null = null;
  frames.forEach((frame, index) => {
    const key = keyOf(frame, track);
    if (!key) return;
    if (from && from.key.type === key.type) {
      for (const between of frames.slice(from.index + 1, index)) {
        const share = (between.at - from.frame.at) / (frame.at - from.frame.at || 1);
        const next = withComputed(between, blend(from.key, key, share), newId);
        if (next) changed.set(between.seq, next);
      }
    }
    from = { frame, key, index };
  });
  return changed;
}

function withComputed(frame: Frame, shape: Tracked, newId: () => string): Annotation[] | null {
  const old = frame.annotations.find((one) => one.track === shape.track);
  const whole = { ...shape, id: old?.id ?? newId(), auto: true } as Annotation;
  if (!old) return [...frame.annotations, whole];
  if (JSON.stringify(old) === JSON.stringify(whole)) return null;
  return frame.annotations.map((one) => (one === old ? whole : one));
}

function blend(a: Tracked, b: Tracked, share: number): Tracked {
  const mix = (x: number, y: number) => rounded(x + (y - x) * share);
  if (a.type === "box" && b.type === "box") {
    const angle = mix(a.angle ?? 0, (a.angle ?? 0) + shortestTurn((b.angle ?? 0) - (a.angle ?? 0)));
    const box: Box = { ...omit(a, "angle"), x: mix(a.x, b.x), y: mix(a.y, b.y), w: mix(a.w, b.w), h: mix(a.h, b.h) };
    return angle === 0 ? box : { ...box, angle };
  }
  if (a.type === "polygon" && b.type === "polygon") return { ...a, rings: blendRings(a.rings, b.rings, mix) };
  return a;
}

/** Outlines with the same number of points move point by point; others are moved and scaled as a whole. */
function blendRings(a: number[][], b: number[][], mix: (x: number, y: number) => number): number[][] {
  if (a.length === b.length && a.every((ring, i) => ring.length === b[i]?.length)) return a.map((ring, i) => ring.map((value, j) => mix(value, b[i]?.[j] ?? value)));
  const [from, to] = [boundsOfPoints(a.flat()), boundsOfPoints(b.flat())];
  const [w, h] = [mix(from.w, to.w) / (from.w || 1), mix(from.h, to.h) / (from.h || 1)];
  const [x, y] = [mix(from.x, to.x), mix(from.y, to.y)];
  return a.map((ring) => ring.map((value, j) => rounded(j % 2 === 0 ? x + (value - from.x) * w : y + (value - from.y) * h)));
}

function shortestTurn(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
