/** Finding a thing in pixels without a model: growing from clicks, or telling fore- from background in a box. Runs in a worker. */
import type { MaskWindow } from "../model/rle";

export interface Pixels {
  width: number;
  height: number;
  /** RGBA. */
  data: Uint8ClampedArray;
}

/** A colour space in which distance is about what an eye sees: luma and two colour differences. */
function planes({ width, height, data }: Pixels): Float32Array {
  const out = new Float32Array(width * height * 3);
  for (let i = 0, p = 0, o = 0; i < width * height; i++, p += 4, o += 3) {
    const [r, g, b] = [data[p] as number, data[p + 1] as number, data[p + 2] as number];
    const luma = 0.299 * r + 0.587 * g + 0.114 * b;
    out[o] = luma * 0.7; // shadows on one thing are forgiven more than another colour
    out[o + 1] = (b - luma) * 1.1;
    out[o + 2] = (r - luma) * 1.1;
  }
  return blurred(out, width, height);
}

/** A 3×3 mean: grain and JPEG blocks do not stop the growth. */
function blurred(from: Float32Array, width: number, height: number): Float32Array {
  const out = new Float32Array(from.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        let [sum, n] = [0, 0];
        for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
          for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++, n++) sum += from[(v * width + u) * 3 + c] as number;
        }
        out[(y * width + x) * 3 + c] = sum / n;
      }
    }
  }
  return out;
}

/** All pixels connected to a seed whose colour is near the seeds' and further from the marks outside. */
export function grow(pixels: Pixels, inside: number[][], outside: number[][], tolerance: number): MaskWindow | null {
  const { width, height } = pixels;
  const colours = planes(pixels);
  const at = ([x, y]: number[]) => Math.min(height - 1, Math.max(0, Math.floor(y as number))) * width + Math.min(width - 1, Math.max(0, Math.floor(x as number)));
  const seeds = inside.map(at);
  if (seeds.length === 0) return null;
  const inColours = seeds.map((i) => around(colours, width, height, i));
  const outColours = outside.map(at).map((i) => around(colours, width, height, i));
  const reach = 10 + 90 * tolerance * tolerance;
  const step = 6 + 26 * tolerance;
  const mask = new Uint8Array(width * height);
  const stack = [...seeds];
  for (const seed of seeds) mask[seed] = 1;
  const take = (from: number, to: number) => {
    if (mask[to]) return;
    const near = Math.min(...inColours.map((colour) => gap(colours, to, colour)));
    if (near > reach || gapBetween(colours, from, to) > step) return;
    if (outColours.some((colour) => gap(colours, to, colour) < near)) return;
    mask[to] = 1;
    stack.push(to);
  };
  while (stack.length > 0) {
    const i = stack.pop() as number;
    const x = i % width;
    if (x > 0) take(i, i - 1);
    if (x < width - 1) take(i, i + 1);
    if (i >= width) take(i, i - width);
    if (i < width * (height - 1)) take(i, i + width);
  }
  return tidied(mask, width, height, seeds);
}

/** Colours inside the box against those around it, smoothed over neighbours, a few rounds. */
export function separate(pixels: Pixels, box: { x: number; y: number; w: number; h: number }): MaskWindow | null {
  const { width, height } = pixels;
  const colours = planes(pixels);
  const [x0, y0] = [Math.max(1, Math.floor(box.x)), Math.max(1, Math.floor(box.y))];
  const [x1, y1] = [Math.min(width - 2, Math.ceil(box.x + box.w)), Math.min(height - 2, Math.ceil(box.y + box.h))];
  if (x1 - x0 < 4 || y1 - y0 < 4) return null;
  const isIn = (i: number) => i % width >= x0 && i % width <= x1 && Math.floor(i / width) >= y0 && Math.floor(i / width) <= y1;
  let mask = startMask(width, height, [x0, y0, x1, y1]);
  for (let round = 0; round < 5; round++) {
    const [fore, back] = [histogram(colours, mask, 1, () => true), histogram(colours, mask, 0, ring(width, [x0, y0, x1, y1]))];
    mask = relabelled(colours, mask, width, height, fore, back, isIn);
  }
  const centre = Math.floor((y0 + y1) / 2) * width + Math.floor((x0 + x1) / 2);
  return tidied(mask, width, height, [centre]);
}

type Edges = [number, number, number, number];

/** The middle of the box is taken for the thing to begin with; its rim is more often background. */
function startMask(width: number, height: number, [x0, y0, x1, y1]: Edges): Uint8Array {
  const mask = new Uint8Array(width * height);
  const [mx, my] = [(x1 - x0) * 0.12, (y1 - y0) * 0.12];
  for (let y = Math.ceil(y0 + my); y <= y1 - my; y++) for (let x = Math.ceil(x0 + mx); x <= x1 - mx; x++) mask[y * width + x] = 1;
  return mask;
}

/** Background is learned from the box's surroundings, not from the far side of the picture. */
function ring(width: number, [x0, y0, x1, y1]: Edges): (i: number) => boolean {
  const [mx, my] = [(x1 - x0) * 0.35, (y1 - y0) * 0.35];
  return (i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return x >= x0 - mx && x <= x1 + mx && y >= y0 - my && y <= y1 + my;
  };
}

const BINS = 16;

function bin(colours: Float32Array, i: number): number {
  const q = (value: number, low: number, span: number) => Math.min(BINS - 1, Math.max(0, Math.floor(((value - low) / span) * BINS)));
  return (q(colours[3 * i] as number, 0, 180) * BINS + q(colours[3 * i + 1] as number, -160, 320)) * BINS + q(colours[3 * i + 2] as number, -160, 320);
}

function histogram(colours: Float32Array, mask: Uint8Array, value: number, counts: (i: number) => boolean): Float32Array {
  const bins = new Float32Array(BINS ** 3).fill(0.02);
  let total = 0;
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] !== value || !counts(i)) continue;
    bins[bin(colours, i)] = (bins[bin(colours, i)] as number) + 1;
    total++;
  }
  return bins.map((count) => count / (total + 1));
}

function relabelled(colours: Float32Array, mask: Uint8Array, width: number, height: number, fore: Float32Array, back: Float32Array, isIn: (i: number) => boolean): Uint8Array {
  let now = mask;
  for (let pass = 0; pass < 3; pass++) {
    const next = new Uint8Array(now.length);
    for (let i = width + 1; i < width * (height - 1) - 1; i++) {
      if (!isIn(i)) continue;
      const b = bin(colours, i);
      const own = Math.log((fore[b] as number) / (back[b] as number));
      const around = [i - 1, i + 1, i - width, i + width].reduce((sum, j) => sum + (now[j] ? 1 : -1) * Math.exp(-gapBetween(colours, i, j) / 18), 0);
      next[i] = own + 1.1 * around > 0 ? 1 : 0;
    }
    now = next;
  }
  return now;
}

function around(colours: Float32Array, width: number, height: number, i: number): [number, number, number] {
  const [x, y] = [i % width, Math.floor(i / width)];
  const sum = [0, 0, 0];
  let n = 0;
  for (let v = Math.max(0, y - 2); v <= Math.min(height - 1, y + 2); v++) {
    for (let u = Math.max(0, x - 2); u <= Math.min(width - 1, x + 2); u++, n++) for (let c = 0; c < 3; c++) sum[c] = (sum[c] as number) + (colours[(v * width + u) * 3 + c] as number);
  }
  return sum.map((value) => value / n) as [number, number, number];
}

function gap(colours: Float32Array, i: number, [a, b, c]: [number, number, number]): number {
  return Math.hypot((colours[3 * i] as number) - a, (colours[3 * i + 1] as number) - b, (colours[3 * i + 2] as number) - c);
}

function gapBetween(colours: Float32Array, i: number, j: number): number {
  return gap(colours, i, [colours[3 * j] as number, colours[3 * j + 1] as number, colours[3 * j + 2] as number]);
}

/** Closed small gaps, the parts the seeds lie in (or the largest), no holes. */
function tidied(mask: Uint8Array, width: number, height: number, seeds: number[]): MaskWindow | null {
  const closed = eroded(dilated(mask, width, height), width, height);
  const part = component(closed, width, height, seeds);
  if (!part) return null;
  return { x: 0, y: 0, w: width, h: height, data: filled(part, width, height) };
}

function dilated(mask: Uint8Array, width: number, height: number): Uint8Array {
  return spread(mask, width, height, 1);
}

function eroded(mask: Uint8Array, width: number, height: number): Uint8Array {
  return spread(mask, width, height, 0);
}

function spread(mask: Uint8Array, width: number, height: number, value: 0 | 1): Uint8Array {
  const out = mask.slice();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (mask[i] === value) continue;
      if ((x > 0 && mask[i - 1] === value) || (x < width - 1 && mask[i + 1] === value) || (y > 0 && mask[i - width] === value) || (y < height - 1 && mask[i + width] === value)) out[i] = value;
    }
  }
  return out;
}

function component(mask: Uint8Array, width: number, height: number, seeds: number[]): Uint8Array | null {
  const names = new Int32Array(width * height);
  const sizes = [0];
  for (let i = 0; i < mask.length; i++) {
    if (!mask[i] || names[i]) continue;
    sizes.push(flood(mask, names, width, height, i, sizes.length));
  }
  if (sizes.length === 1) return null;
  const wanted = new Set(seeds.map((seed) => names[seed] as number).filter((name) => name > 0));
  if (wanted.size === 0) wanted.add(sizes.indexOf(Math.max(...sizes.slice(1))));
  return mask.map((_, i) => (wanted.has(names[i] as number) ? 1 : 0));
}

function flood(mask: Uint8Array, names: Int32Array, width: number, height: number, start: number, name: number): number {
  const stack = [start];
  names[start] = name;
  let size = 0;
  while (stack.length > 0) {
    const i = stack.pop() as number;
    size++;
    const x = i % width;
    for (const j of [x > 0 ? i - 1 : -1, x < width - 1 ? i + 1 : -1, i - width, i < width * (height - 1) ? i + width : -1]) {
      if (j < 0 || !mask[j] || names[j]) continue;
      names[j] = name;
      stack.push(j);
    }
  }
  return size;
}

/** What cannot be reached from the border is inside. */
function filled(mask: Uint8Array, width: number, height: number): Uint8Array {
  const empty = mask.map((value) => 1 - value);
  const names = new Int32Array(width * height);
  for (let x = 0; x < width; x++) for (const i of [x, (height - 1) * width + x]) if (empty[i] && !names[i]) flood(empty, names, width, height, i, 1);
  for (let y = 0; y < height; y++) for (const i of [y * width, y * width + width - 1]) if (empty[i] && !names[i]) flood(empty, names, width, height, i, 1);
  return mask.map((value, i) => (value || !names[i] ? 1 : 0));
}
