/** How shapes look. The context is scaled to pixels of the picture; `unit` is what one pixel of the window measures there. */
import { boundsOf, corners } from "../model/geometry";
import { maskExtent } from "../model/rle";
import { bonesOf } from "../model/skeleton";
import type { Box, Keypoints, Label, Mask, Polygon, Shape } from "../model/types";
import { handlesOf } from "./hit";
import { windowOf } from "./scene";

export interface Palette {
  ground: string;
  /** For shapes whose label is not known. */
  unlabelled: string;
  handle: string;
  handleEdge: string;
  tagText: string;
  guide: string;
  font: string;
}

export interface Look {
  colour: string;
  unit: number;
  fill: number;
  width: number;
  isDashed?: boolean;
}

export type Canvas2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export function drawShape(g: Canvas2D, shape: Shape, label: Label | null, look: Look): void {
  g.strokeStyle = look.colour;
  g.fillStyle = look.colour;
  g.lineWidth = look.width * look.unit;
  g.setLineDash(look.isDashed || shape.auto ? [5 * look.unit, 4 * look.unit] : []);
  switch (shape.type) {
    case "box":
      return drawBox(g, shape, look);
    case "polygon":
      return drawPolygon(g, shape, look);
    case "polyline":
      path(g, shape.points, false);
      return g.stroke();
    case "point":
      return dot(g, shape.x, shape.y, 5 * look.unit, look);
    case "circle":
      g.beginPath();
      g.arc(shape.x, shape.y, shape.r, 0, 2 * Math.PI);
      return paint(g, look);
    case "mask":
      return drawMask(g, shape, look);
    case "keypoints":
      return drawKeypoints(g, shape, label, look);
  }
}

function drawBox(g: Canvas2D, box: Box, look: Look): void {
  if (box.angle) {
    path(g, corners(box).flat(), true);
    return paint(g, look);
  }
  if (look.fill > 0) {
    g.globalAlpha = look.fill;
    g.fillRect(box.x, box.y, box.w, box.h);
    g.globalAlpha = 1;
  }
  g.strokeRect(box.x, box.y, box.w, box.h);
}

function drawPolygon(g: Canvas2D, shape: Polygon, look: Look): void {
  g.beginPath();
  for (const ring of shape.rings) trace(g, ring, true);
  paint(g, look, "evenodd");
}

function drawKeypoints(g: Canvas2D, shape: Keypoints, label: Label | null, look: Look): void {
  if (shape.w !== undefined && shape.x !== undefined) {
    g.setLineDash([4 * look.unit, 4 * look.unit]);
    g.strokeRect(shape.x, shape.y ?? 0, shape.w, shape.h ?? 0);
    g.setLineDash(shape.auto ? [5 * look.unit, 4 * look.unit] : []);
  }
  g.beginPath();
  for (const [a, b] of bonesOf(shape.points, label?.skeleton?.edges)) {
    g.moveTo(a[0], a[1]);
    g.lineTo(b[0], b[1]);
  }
  g.stroke();
  for (const [x, y, v] of shape.points) if (v > 0) dot(g, x, y, 4 * look.unit, look, v === 1);
}

function dot(g: Canvas2D, x: number, y: number, radius: number, look: Look, isHollow = false): void {
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  if (!isHollow) g.fill();
  g.lineWidth = 1.5 * look.unit;
  g.stroke();
}

function paint(g: Canvas2D, look: Look, rule?: CanvasFillRule): void {
  if (look.fill > 0) {
    g.globalAlpha = look.fill;
    g.fill(rule);
    g.globalAlpha = 1;
  }
  g.stroke();
}

function path(g: Canvas2D, points: number[], isClosed: boolean): void {
  g.beginPath();
  trace(g, points, isClosed);
}

function trace(g: Canvas2D, points: number[], isClosed: boolean): void {
  for (let i = 0; i + 1 < points.length; i += 2) {
    if (i === 0) g.moveTo(points[0] as number, points[1] as number);
    else g.lineTo(points[i] as number, points[i + 1] as number);
  }
  if (isClosed) g.closePath();
}

const tints = new WeakMap<Mask, { colour: string; canvas: OffscreenCanvas }>();

function drawMask(g: Canvas2D, mask: Mask, look: Look): void {
  const window = windowOf(mask);
  if (window.w === 0) return;
  let tint = tints.get(mask);
  if (tint?.colour !== look.colour) {
    tint = { colour: look.colour, canvas: tinted(window.data, window.w, window.h, look.colour) };
    tints.set(mask, tint);
  }
  g.imageSmoothingEnabled = false;
  g.globalAlpha = Math.min(0.75, Math.max(0.4, look.fill * 2));
  g.drawImage(tint.canvas, window.x, window.y);
  g.globalAlpha = 1;
  g.imageSmoothingEnabled = true;
}

/** Pixels of one colour wherever the mask is. */
export function tinted(data: Uint8Array, w: number, h: number, colour: string): OffscreenCanvas {
  const canvas = new OffscreenCanvas(w, h);
  const g = canvas.getContext("2d");
  if (!g) throw new Error("this browser gives no canvas");
  const pixels = g.createImageData(w, h);
  for (let i = 0; i < data.length; i++) if (data[i]) pixels.data[4 * i + 3] = 255;
  g.putImageData(pixels, 0, 0);
  g.globalCompositeOperation = "source-in";
  g.fillStyle = colour;
  g.fillRect(0, 0, w, h);
  return canvas;
}

export function drawHandles(g: Canvas2D, shape: Shape, colour: string, palette: Palette, unit: number): void {
  g.setLineDash([]);
  for (const handle of handlesOf(shape, unit)) {
    const size = (handle.kind === "midpoint" || handle.kind === "edge" ? 2.5 : 4) * unit;
    g.globalAlpha = handle.kind === "midpoint" ? 0.7 : 1;
    g.fillStyle = palette.handle;
    g.strokeStyle = colour;
    g.lineWidth = 1.5 * unit;
    g.beginPath();
    if (handle.kind === "rotate" || handle.kind === "keypoint" || handle.kind === "radius") g.arc(handle.at[0], handle.at[1], size, 0, 2 * Math.PI);
    else g.rect(handle.at[0] - size, handle.at[1] - size, 2 * size, 2 * size);
    g.fill();
    g.stroke();
  }
  g.globalAlpha = 1;
  if (shape.type === "mask") {
    const { x, y, w, h } = maskExtent(shape);
    g.strokeStyle = colour;
    g.lineWidth = unit;
    g.setLineDash([4 * unit, 3 * unit]);
    g.strokeRect(x, y, w, h);
  }
}

/** Above the shape's upper left corner, or beside it where lines of text stand close. */
export type TagPlace = "above" | "beside";

export interface Tag {
  text: string;
  place: TagPlace;
}

/** A small sign with the label's name. */
export function drawTag(g: Canvas2D, shape: Shape, { text, place }: Tag, colour: string, palette: Palette, unit: number): void {
  const at = shape.type === "mask" ? maskExtent(shape) : boundsOf(shape, () => ({ x: 0, y: 0, w: 0, h: 0 }));
  const size = place === "above" ? 11 : 10;
  const width = (widthOf(g, text, palette.font) * size + 8) * unit;
  g.font = `600 ${size * unit}px ${palette.font}`;
  g.textBaseline = "middle";
  const height = (place === "above" ? 16 : 13) * unit;
  const x = place === "above" ? at.x - unit : at.x - width - unit;
  const y = place === "above" ? at.y - height - 1.5 * unit : at.y + at.h / 2 - height / 2;
  g.fillStyle = colour;
  g.fillRect(x, y, width, height);
  g.fillStyle = inkOn(colour);
  g.fillText(text, x + 4 * unit, y + height / 2 + 0.5 * unit);
}

const widths = new Map<string, number>();

/** Of the text in a font of one pixel; measuring is slow, and the same few names are drawn again and again. */
function widthOf(g: Canvas2D, text: string, font: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  g.font = `600 100px ${font}`;
  const width = g.measureText(text).width / 100;
  widths.set(text, width);
  return width;
}

/** Black or white, whichever is read better on the colour. */
export function inkOn(colour: string): string {
  const value = parseInt(colour.slice(1), 16);
  const [r, g, b] = [value >> 16, (value >> 8) & 255, value & 255];
  return 0.299 * r + 0.587 * g + 0.114 * b > 150 ? "black" : "white";
}
