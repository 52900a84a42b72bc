/**
 * The canvas: the picture with the shapes at rest, and over it what is in the hand, on two layers; pointer, wheel and keys go to the
 * tool in use. A frame is drawn only when something has changed.
 */
import { grown } from "../model/geometry";
import type { Rect } from "../model/geometry";
import type { Annotation, Label, Point, Shape } from "../model/types";
import type { Canvas2D, Palette, Tag } from "./draw";
import { drawShape, drawTag } from "./draw";
import { drawMagnifier } from "./magnifier";
import type { Picture } from "./picture";
import { Scene } from "./scene";
import { ShapeCache } from "./shape-cache";
import { clamped, snapped } from "./snap";
import type { Snapped } from "./snap";
import type { Bench, Desk, Pointer, Tool } from "./tools/tool";
import { View } from "./view";

/** After this long without moving, shapes are painted sharply again. */
const REST_MS = 120;
const HIT_PX = 7;
const SNAP_PX = 8;
const EDGE_PX = 4;

export interface StageOptions {
  isSnapping: boolean;
  hasTags: boolean;
  hasMagnifier: boolean;
  fill: number;
  brightness: number;
  contrast: number;
}

export class Stage implements Bench {
  readonly view = new View();
  readonly scene = new Scene();
  picture: Picture | null = null;
  size = { width: 1, height: 1 };
  options: StageOptions = { isSnapping: true, hasTags: true, hasMagnifier: false, fill: 0.12, brightness: 1, contrast: 1 };
  /** Told after every drawn frame; the benchmark counts them. */
  onFrame: ((ms: number) => void) | null = null;
  onView: (() => void) | null = null;
  onDraft: ((draft: unknown) => void) | null = null;

  private readonly layers: HTMLCanvasElement[];
  private readonly cache: ShapeCache;
  private tool: Tool | null = null;
  private frame = 0;
  private restTimer = 0;
  private moves = 0;
  /** What of the lower layer has to be drawn again, in pixels of the picture. */
  private backDirty: Rect[] | "all" = "all";
  private panning: { from: Point; view: Point } | null = null;
  private isSpaceDown = false;
  private pressed = false;
  private last: Pointer | null = null;
  private snap: Snapped | null = null;
  private touches = new Map<number, Point>();
  private readonly observer: ResizeObserver;
  private readonly stop = new AbortController();
  private tagOf: (annotation: Annotation) => Tag | null = () => null;

  constructor(
    private readonly root: HTMLElement,
    readonly desk: Desk,
    private readonly paletteOf: () => Palette,
  ) {
    this.layers = [0, 1].map(() => root.appendChild(document.createElement("canvas")));
    for (const layer of this.layers) Object.assign(layer.style, { position: "absolute", inset: "0", width: "100%", height: "100%" });
    this.cache = new ShapeCache(this.scene, paletteOf, () => ({ fill: this.options.fill, width: 2, hasTags: this.options.hasTags, tag: (shape) => this.tagOf(shape) }));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.resize();
    this.listen();
  }

  get unit(): number {
    return 1 / this.view.scale;
  }

  get tolerance(): number {
    return HIT_PX / this.view.scale;
  }

  palette(): Palette {
    return this.paletteOf();
  }

  close(): void {
    this.tool?.cancel();
    this.stop.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.restTimer);
    for (const layer of this.layers) layer.remove();
  }

  /** Another item: its picture (null while it is on its way) and what is known of its size. */
  show(picture: Picture | null, size: { width: number; height: number }, keepView: boolean): void {
    const isOther = size.width !== this.size.width || size.height !== this.size.height;
    this.picture = picture;
    this.size = size;
    this.setBusy(picture === null);
    if (isOther || !keepView) this.fit();
    this.redrawAll();
  }

  setTool(tool: Tool): void {
    this.tool?.cancel();
    this.scene.lift(new Set());
    this.tool = tool;
    this.setCursor(tool.cursor);
    this.redraw();
  }

  currentTool(): Tool | null {
    return this.tool;
  }

  setTags(tag: (annotation: Annotation) => Tag | null): void {
    this.tagOf = tag;
    this.redrawAll();
  }

  setAnnotations(annotations: readonly Annotation[]): void {
    this.scene.setAnnotations(annotations);
    this.afterScene();
  }

  setLabels(labels: readonly Label[]): void {
    this.scene.setLabels(labels);
    this.afterScene();
  }

  setMarks(marks: { hidden: ReadonlySet<string>; locked: ReadonlySet<string>; selected: ReadonlySet<string> }): void {
    this.scene.setHidden(marks.hidden);
    this.scene.locked = marks.locked;
    this.scene.setSelected(marks.selected);
    this.afterScene();
  }

  setOptions(options: Partial<StageOptions>): void {
    this.options = { ...this.options, ...options };
    this.redrawAll();
  }

  fit(): void {
    this.view.fit({ x: 0, y: 0, w: this.size.width, h: this.size.height });
    this.moved();
  }

  zoomTo(rect: Rect): void {
    this.view.fit(rect, 120);
    this.view.zoomAt([this.view.width / 2, this.view.height / 2], Math.min(1, 8 / this.view.scale));
    this.moved();
  }

  zoom(factor: number): void {
    this.view.zoomAt([this.view.width / 2, this.view.height / 2], factor);
    this.moved();
  }

  actualSize(): void {
    this.zoom(1 / this.view.scale);
  }

  panBy(dx: number, dy: number): void {
    this.view.pan(dx, dy);
    this.moved();
  }

  redraw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.drawFrame());
  }

  redrawAll(): void {
    this.scene.redrawAll();
    this.afterScene();
  }

  setCursor(cursor: string): void {
    this.root.style.cursor = this.panning || this.isSpaceDown ? "grab" : cursor;
  }

  setBusy(isBusy: boolean): void {
    this.root.setAttribute("aria-busy", String(isBusy));
  }

  /** The tool's drawing may have changed; tell whoever keeps it. */
  noteDraft(): void {
    this.onDraft?.(this.tool?.draft() ?? null);
  }

  private moved(): void {
    this.backDirty = "all";
    window.clearTimeout(this.restTimer);
    const moves = ++this.moves;
    this.restTimer = window.setTimeout(() => this.rest(moves), REST_MS);
    this.redraw();
    this.onView?.();
  }

  /** On a busy machine a frame may take longer than a rest: only when the next one has not moved on is it really one. */
  private rest(moves: number): void {
    requestAnimationFrame(() => {
      if (this.moves !== moves || this.stop.signal.aborted) return;
      this.restTimer = 0;
      this.backDirty = "all";
      this.redraw();
    });
  }

  private afterScene(): void {
    const painted = this.cache.refresh(this.scene.takeDirty());
    this.backDirty = painted === "all" || this.backDirty === "all" ? "all" : [...this.backDirty, ...painted];
    this.redraw();
  }

  private plane(): Rect {
    return { x: 0, y: 0, w: this.size.width, h: this.size.height };
  }

  private drawFrame(): void {
    const started = performance.now();
    this.frame = 0;
    const ratio = window.devicePixelRatio || 1;
    const isMoving = this.restTimer !== 0;
    if (this.backDirty.length > 0) {
      if (this.cache.isEmpty || (!isMoving && !this.cache.isSharp(this.view))) {
        this.cache.repaint(this.view, ratio, this.plane());
        this.backDirty = "all";
      }
      const parts = this.backDirty === "all" ? [this.view.visible()] : this.backDirty;
      this.on(0, ratio, (g) => parts.forEach((part) => this.drawBack(g, part, ratio)));
      this.backDirty = [];
    }
    this.on(1, ratio, (g) => this.drawFront(g));
    this.onFrame?.(performance.now() - started);
  }

  private drawBack(g: CanvasRenderingContext2D, part: Rect, ratio: number): void {
    const seen = this.view.onPixels(part, ratio);
    if (!seen) return;
    const { brightness, contrast } = this.options;
    g.save();
    g.beginPath();
    g.rect(seen.x, seen.y, seen.w, seen.h);
    g.clip();
    g.fillStyle = this.palette().ground;
    g.fillRect(seen.x, seen.y, seen.w, seen.h);
    g.filter = brightness === 1 && contrast === 1 ? "none" : `brightness(${brightness}) contrast(${contrast})`;
    // A little more than is seen, so that pixels at the edge are made from the same neighbours as if all were drawn.
    this.picture?.draw(g, grown(seen, EDGE_PX * this.unit), this.view.scale * ratio);
    g.filter = "none";
    g.imageSmoothingEnabled = true;
    this.cache.draw(g, seen);
    g.restore();
  }

  private drawFront(g: Canvas2D): void {
    const tool = this.tool;
    if (!tool) return;
    if (!(tool.busyWith() === this.desk.selection())) this.drawSelection(g);
    tool.draw?.(g);
    this.drawSelectedTags(g);
    if (this.snap?.onto && this.last) this.drawSnap(g, this.snap.point);
    if (this.options.hasMagnifier && this.last) drawMagnifier(g, this, this.last, (inner) => this.cache.draw(inner, this.view.visible()));
  }

  /** Chosen shapes while another tool is in use; the select tool draws them itself. */
  private drawSelection(g: Canvas2D): void {
    for (const id of this.desk.selection()) {
      const shape = this.scene.get(id);
      if (!shape || !this.scene.isVisible(shape)) continue;
      const label = this.scene.labelOf(shape);
      drawSelected(g, shape, label, this.palette(), this.unit);
    }
  }

  private drawSelectedTags(g: Canvas2D): void {
    if (!this.options.hasTags || this.desk.selection().size > 20) return;
    for (const id of this.desk.selection()) {
      const shape = this.scene.get(id);
      const sign = shape && this.scene.isVisible(shape) ? this.tagOf(shape) : null;
      if (shape && sign) drawTag(g, shape, sign, this.scene.labelOf(shape)?.colour ?? this.palette().unlabelled, this.palette(), this.unit);
    }
  }

  private drawSnap(g: Canvas2D, [x, y]: Point): void {
    const size = 5 * this.unit;
    g.strokeStyle = this.palette().guide;
    g.lineWidth = 1.5 * this.unit;
    g.strokeRect(x - size, y - size, 2 * size, 2 * size);
  }

  private on(index: number, ratio: number, draw: (g: CanvasRenderingContext2D) => void): void {
    // The lower one covers everything, so nothing has to be blended through it.
    const g = this.layers[index]?.getContext("2d", { alpha: index > 0 });
    if (!g) return;
    g.setTransform(1, 0, 0, 1, 0, 0);
    if (index > 0) g.clearRect(0, 0, g.canvas.width, g.canvas.height);
    g.setTransform(this.view.scale * ratio, 0, 0, this.view.scale * ratio, this.view.x * ratio, this.view.y * ratio);
    draw(g);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.root;
    if (clientWidth === 0 || clientHeight === 0) return;
    const isFirst = this.view.width === 1;
    const [dx, dy] = [(clientWidth - this.view.width) / 2, (clientHeight - this.view.height) / 2];
    this.view.width = clientWidth;
    this.view.height = clientHeight;
    const ratio = window.devicePixelRatio || 1;
    for (const layer of this.layers) Object.assign(layer, { width: Math.round(clientWidth * ratio), height: Math.round(clientHeight * ratio) });
    if (isFirst) this.fit();
    else this.view.pan(dx, dy);
    this.backDirty = "all";
    // At once: a canvas that has been resized is empty until it is drawn.
    this.drawFrame();
  }

  private listen(): void {
    const options = { signal: this.stop.signal };
    this.root.addEventListener("pointerdown", (event) => this.pointerDown(event), options);
    this.root.addEventListener("pointermove", (event) => this.pointerMove(event), options);
    this.root.addEventListener("pointerup", (event) => this.pointerUp(event), options);
    this.root.addEventListener("pointercancel", (event) => this.pointerUp(event), options);
    this.root.addEventListener("pointerleave", () => this.leave(), options);
    this.root.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    this.root.addEventListener("contextmenu", (event) => event.preventDefault(), options);
    window.addEventListener("keydown", (event) => this.space(event, true), options);
    window.addEventListener("keyup", (event) => this.space(event, false), options);
    window.addEventListener("blur", () => (this.isSpaceDown = false), options);
  }

  private pointerDown(event: PointerEvent): void {
    this.root.focus({ preventScroll: true });
    this.root.setPointerCapture(event.pointerId);
    this.touches.set(event.pointerId, this.screenOf(event));
    if (this.touches.size === 2) {
      this.tool?.cancel();
      this.pressed = false;
      return;
    }
    if (event.button === 1 || event.button === 2 || this.isSpaceDown) {
      this.panning = { from: this.screenOf(event), view: [this.view.x, this.view.y] };
      this.setCursor("grab");
      return;
    }
    if (event.button !== 0) return;
    this.pressed = true;
    this.tool?.down?.(this.pointerOf(event, event.detail));
    this.noteDraft();
  }

  private pointerMove(event: PointerEvent): void {
    const screen = this.screenOf(event);
    if (this.touches.size === 2 && this.touches.has(event.pointerId)) return this.pinch(event.pointerId, screen);
    if (this.panning) {
      this.view.x = this.panning.view[0] + screen[0] - this.panning.from[0];
      this.view.y = this.panning.view[1] + screen[1] - this.panning.from[1];
      return this.moved();
    }
    const at = this.pointerOf(event, 0);
    this.tool?.move?.(at, this.pressed);
    if (this.options.hasMagnifier || this.snap?.onto) this.redraw();
  }

  private pointerUp(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    if (this.panning) {
      this.panning = null;
      return this.setCursor(this.tool?.cursor ?? "default");
    }
    if (!this.pressed) return;
    this.pressed = false;
    this.tool?.up?.(this.pointerOf(event, event.detail));
    this.noteDraft();
  }

  private leave(): void {
    this.last = null;
    this.snap = null;
    this.redraw();
  }

  /** Two fingers: the point between them stays between them. */
  private pinch(id: number, screen: Point): void {
    const other = [...this.touches].find(([one]) => one !== id)?.[1];
    const before = this.touches.get(id);
    if (!other || !before) return;
    const span = (p: Point) => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
    const middle = (p: Point): Point => [(p[0] + other[0]) / 2, (p[1] + other[1]) / 2];
    this.view.pan(middle(screen)[0] - middle(before)[0], middle(screen)[1] - middle(before)[1]);
    this.view.zoomAt(middle(screen), span(screen) / span(before));
    this.touches.set(id, screen);
    this.moved();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey) this.view.pan(-(event.deltaX || event.deltaY) * lines, 0);
    else this.view.zoomAt(this.screenOf(event), Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)));
    this.moved();
  }

  private space(event: KeyboardEvent, isDown: boolean): void {
    if (event.code !== "Space" || isTyping(event.target)) return;
    if (document.activeElement === this.root || document.activeElement === document.body) event.preventDefault();
    this.isSpaceDown = isDown;
    this.setCursor(this.tool?.cursor ?? "default");
  }

  private screenOf(event: MouseEvent): Point {
    const box = this.root.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private pointerOf(event: PointerEvent, clicks: number): Pointer {
    const screen = this.screenOf(event);
    const raw = this.view.toImage(screen);
    const inside = clamped(raw, this.size);
    // Ctrl lets go for a moment.
    const isSnapping = this.options.isSnapping && !event.ctrlKey;
    this.snap = isSnapping ? snapped(this.scene, inside, SNAP_PX / this.view.scale, this.size, this.tool?.busyWith() ?? new Set()) : null;
    this.last = { raw, point: this.snap?.point ?? inside, screen, isShift: event.shiftKey, isAlt: event.altKey, isCtrl: event.ctrlKey || event.metaKey, clicks };
    return this.last;
  }
}

function drawSelected(g: Canvas2D, shape: Shape, label: Label | null, palette: Palette, unit: number): void {
  drawShape(g, shape, label, { colour: label?.colour ?? palette.unlabelled, unit, fill: 0.25, width: 2.5 });
}

export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "button"].includes(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}
