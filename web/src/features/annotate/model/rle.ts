/**
 * Masks: COCO's run lengths (column by column, starting with a run of nothing, packed into a string as pycocotools does) and
 * the pixels inside the mask's own rectangle, so that work is proportional to the mask and not to the picture.
 */
import type { Rect } from "./geometry";

/** One byte a pixel, row by row, of the rectangle x, y, w, h of a picture. */
export interface MaskWindow extends Rect {
  data: Uint8Array;
}

export interface PackedMask {
  /** Height and width of the picture. */
  size: [number, number];
  rle: string;
}

export function packCounts(counts: number[]): string {
  let text = "";
  counts.forEach((count, i) => {
    let x = i > 2 ? count - (counts[i - 2] as number) : count;
    for (let more = true; more; ) {
      let c = x & 0x1f;
      x >>= 5;
      more = c & 0x10 ? x !== -1 : x !== 0;
      if (more) c |= 0x20;
      text += String.fromCharCode(c + 48);
    }
  });
  return text;
}

export function unpackCounts(text: string): number[] {
  const counts: number[] = [];
  for (let at = 0; at < text.length; ) {
    let [x, k, more] = [0, 0, true];
    while (more && at < text.length) {
      const c = text.charCodeAt(at++) - 48;
      x |= (c & 0x1f) << (5 * k++);
      more = (c & 0x20) !== 0;
      if (!more && c & 0x10) x |= -1 << (5 * k);
    }
    counts.push(counts.length > 2 ? x + (counts[counts.length - 2] as number) : x);
  }
  return counts;
}

export function encodeMask(window: MaskWindow, height: number, width: number): PackedMask {
  const counts: number[] = [];
  let at = 0; // pixels told so far
  let value = 0;
  const turn = (where: number) => {
    counts.push(where - at);
    at = where;
    value = 1 - value;
  };
  for (let x = 0; x < window.w; x++) {
    const column = (window.x + x) * height + window.y;
    for (let y = 0, i = x; y < window.h; y++, i += window.w) {
      if ((window.data[i] ? 1 : 0) !== value) turn(column + y);
    }
    // Above and below the window there is nothing; a run goes on into the next column only where it fills the height.
    if (value === 1 && (window.h < height || x === window.w - 1)) turn(column + window.h);
  }
  if (at < width * height || counts.length === 0) counts.push(width * height - at);
  return { size: [height, width], rle: packCounts(counts) };
}

export function decodeMask(mask: PackedMask): MaskWindow {
  const [height] = mask.size;
  const counts = unpackCounts(mask.rle);
  const { x, y, w, h } = extentOf(counts, height);
  const data = new Uint8Array(w * h);
  let at = 0;
  counts.forEach((run, index) => {
    if (index % 2 === 1) {
      let column = Math.floor(at / height);
      let row = at - column * height;
      for (let left = run; left > 0; left--) {
        data[(row - y) * w + column - x] = 1;
        if (++row === height) [row, column] = [0, column + 1];
      }
    }
    at += run;
  });
  return { x, y, w, h, data };
}

/** The smallest rectangle around the mask and how many pixels it has, from the runs alone. */
export function maskExtent(mask: PackedMask): Rect & { area: number } {
  return extentOf(unpackCounts(mask.rle), mask.size[0]);
}

function extentOf(counts: number[], height: number): Rect & { area: number } {
  let [x0, y0, x1, y1, area, at] = [Infinity, Infinity, -1, -1, 0, 0];
  counts.forEach((run, index) => {
    if (index % 2 === 1 && run > 0) {
      const [first, last] = [at, at + run - 1];
      const [fromX, toX] = [Math.floor(first / height), Math.floor(last / height)];
      const isOneColumn = fromX === toX;
      x0 = Math.min(x0, fromX);
      x1 = Math.max(x1, toX);
      y0 = Math.min(y0, isOneColumn ? first % height : 0);
      y1 = Math.max(y1, isOneColumn ? last % height : height - 1);
      area += run;
    }
    at += run;
  });
  return area === 0 ? { x: 0, y: 0, w: 0, h: 0, area } : { x: x0, y: y0, w: x1 - x0 + 1, h: y1 - y0 + 1, area };
}

/** The window without its empty margins; w and h are 0 when nothing is left. */
export function trimmed(window: MaskWindow): MaskWindow {
  let [x0, y0, x1, y1] = [window.w, window.h, -1, -1];
  for (let y = 0, i = 0; y < window.h; y++) {
    for (let x = 0; x < window.w; x++, i++) {
      if (!window.data[i]) continue;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
    }
  }
  if (x1 < 0) return { x: 0, y: 0, w: 0, h: 0, data: new Uint8Array(0) };
  const [w, h] = [x1 - x0 + 1, y1 - y0 + 1];
  const data = new Uint8Array(w * h);
  for (let y = 0; y < h; y++) data.set(window.data.subarray((y0 + y) * window.w + x0, (y0 + y) * window.w + x0 + w), y * w);
  return { x: window.x + x0, y: window.y + y0, w, h, data };
}

export function isInMask(window: MaskWindow, x: number, y: number): boolean {
  const [column, row] = [Math.floor(x) - window.x, Math.floor(y) - window.y];
  return column >= 0 && row >= 0 && column < window.w && row < window.h && window.data[row * window.w + column] === 1;
}
