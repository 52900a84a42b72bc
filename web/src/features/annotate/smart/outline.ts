/** The outline of a mask as a ring, walking along the edges of its pixels. */
import { simplified } from "../model/geometry";
import type { MaskWindow } from "../model/rle";

/** Outer outlines, the largest first, in the window's own pixels. */
export function outlines(window: MaskWindow, tolerance: number): number[][] {
  const { w, h, data } = window;
  const is = (x: number, y: number) => x >= 0 && y >= 0 && x < w && y < h && data[y * w + x] === 1;
  const seen = new Uint8Array((w + 1) * (h + 1));
  const rings: number[][] = [];
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      // The upper edge of a pixel with nothing above it starts an outline not yet walked.
      if (is(x, y) && !is(x, y - 1) && !seen[y * (w + 1) + x]) rings.push(walked(is, x, y, seen, w));
    }
  }
  return rings
    .map((ring) => closedAndSimple(ring, tolerance))
    .filter((ring) => ring.length >= 6)
    .sort((a, b) => signedArea(b) - signedArea(a))
    .filter((ring) => signedArea(ring) > 0);
}

/** Right, down, left, up; the inside is kept on the right hand. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

function walked(is: (x: number, y: number) => boolean, x0: number, y0: number, seen: Uint8Array, w: number): number[] {
  const ring: number[] = [];
  let [x, y, heading] = [x0, y0, 0];
  do {
    if (heading === 0) seen[y * (w + 1) + x] = 1;
    ring.push(x, y);
    const [dx, dy] = STEPS[heading] as readonly [number, number];
    [x, y] = [x + dx, y + dy];
    heading = turn(is, x, y, heading);
  } while (x !== x0 || y !== y0 || heading !== 0);
  return ring;
}

function turn(is: (x: number, y: number) => boolean, x: number, y: number, heading: number): number {
  // The two pixels ahead: left and right of the way.
  const ahead: [boolean, boolean][] = [
    [is(x, y - 1), is(x, y)],
    [is(x, y), is(x - 1, y)],
    [is(x - 1, y), is(x - 1, y - 1)],
    [is(x - 1, y - 1), is(x, y - 1)],
  ];
  const [left, right] = ahead[heading] as [boolean, boolean];
  if (!right) return (heading + 1) % 4;
  return left ? (heading + 3) % 4 : heading;
}

function closedAndSimple(ring: number[], tolerance: number): number[] {
  // Halves are simplified apart, since the way back to the start is no straight line to keep.
  const half = Math.floor(ring.length / 4) * 2;
  const first = simplified(ring.slice(0, half + 2), tolerance);
  const second = simplified([...ring.slice(half), ring[0] as number, ring[1] as number], tolerance);
  return [...first.slice(0, -2), ...second.slice(0, -2)];
}

function signedArea(ring: number[]): number {
  let sum = 0;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) sum += (ring[j] as number) * (ring[i + 1] as number) - (ring[i] as number) * (ring[j + 1] as number);
  return sum / 2;
}
