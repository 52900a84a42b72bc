/** Sound drawn along time, with segments to make, move and stretch. */
import { newId } from "../model/ids";
import type { Label, Segment } from "../model/types";
import type { Palette } from "./draw";

/** Lowest and highest value of each stretch of `step` samples, in halves of halves. */
export class Peaks {
  private readonly levels: { step: number; low: Float32Array; high: Float32Array }[] = [];

  constructor(
    samples: Float32Array,
    readonly rate: number,
  ) {
    const step = 64;
    const count = Math.ceil(samples.length / step);
    const [low, high] = [new Float32Array(count), new Float32Array(count)];
    for (let i = 0; i < count; i++) {
      let [least, most] = [Infinity, -Infinity];
      for (let j = i * step; j < Math.min(samples.length, (i + 1) * step); j++) {
        least = Math.min(least, samples[j] as number);
        most = Math.max(most, samples[j] as number);
      }
      low[i] = least;
      high[i] = most;
    }
    this.levels.push({ step, low, high });
    while ((this.levels.at(-1)?.low.length ?? 0) > 512) this.halve();
  }

  /** Over a time from–to, in seconds. */
  between(from: number, to: number): [number, number] {
    const span = (to - from) * this.rate;
    const level = this.levels.findLast((one) => one.step <= span) ?? this.levels[0];
    if (!level) return [0, 0];
    const first = Math.max(0, Math.floor((from * this.rate) / level.step));
    const last = Math.min(level.low.length - 1, Math.max(first, Math.ceil((to * this.rate) / level.step) - 1));
    let [low, high] = [0, 0];
    for (let i = first; i <= last; i++) {
      low = Math.min(low, level.low[i] as number);
      high = Math.max(high, level.high[i] as number);
    }
    return [low, high];
  }

  private halve(): void {
    const from = this.levels.at(-1);
    if (!from) return;
    const count = Math.ceil(from.low.length / 2);
    const [low, high] = [new Float32Array(count), new Float32Array(count)];
    for (let i = 0; i < count; i++) {
      low[i] = Math.min(from.low[2 * i] as number, from.low[2 * i + 1] ?? Infinity);
      high[i] = Math.max(from.high[2 * i] as number, from.high[2 * i + 1] ?? -Infinity);
    }
    this.levels.push({ step: from.step * 2, low, high });
  }
}

export interface WaveDesk {
  segments(): readonly Segment[];
  labelOf(segment: Segment): Label | null;
  selection(): ReadonlySet<string>;
  select(ids: string[]): void;
  canDraw(): boolean;
  /** A new or changed segment. */
  put(segment: Segment, isNew: boolean): void;
  seek(seconds: number): void;
  time(): number;
}

type Grip = { id: string; part: "start" | "end" | "all"; offset: number; now: Segment } | { id: null; from: number; to: number };

const EDGE_PX = 7;
const SHORTEST_S = 0.02;

export class Waveform {
  from = 0;
  to = 1;
  private readonly canvas: HTMLCanvasElement;
  private frame = 0;
  private grip: Grip | null = null;
  private pressedAt = 0;
  private readonly stop = new AbortController();
  private readonly observer: ResizeObserver;

  constructor(
    private readonly root: HTMLElement,
    private readonly peaks: Peaks,
    readonly duration: number,
    private readonly desk: WaveDesk,
    private readonly palette: () => Palette & { wave: string; waveText: string },
  ) {
    this.to = Math.max(0.1, duration);
    this.canvas = root.appendChild(document.createElement("canvas"));
    Object.assign(this.canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%" });
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(root);
    const options = { signal: this.stop.signal };
    root.addEventListener("pointerdown", (event) => this.down(event), options);
    root.addEventListener("pointermove", (event) => this.move(event), options);
    root.addEventListener("pointerup", (event) => this.up(event), options);
    root.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    this.redraw();
  }

  close(): void {
    this.stop.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
  }

  redraw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  cancel(): boolean {
    const had = this.grip !== null;
    this.grip = null;
    this.redraw();
    return had;
  }

  /** Keeps the playing position in sight. */
  follow(seconds: number): void {
    const span = this.to - this.from;
    if (span < this.duration && (seconds > this.to || seconds < this.from)) this.show(seconds - span * 0.1, span);
    this.redraw();
  }

  zoom(factor: number, at = (this.from + this.to) / 2): void {
    const span = Math.min(this.duration, Math.max(0.2, (this.to - this.from) / factor));
    const share = (at - this.from) / (this.to - this.from);
    this.show(at - share * span, span);
    this.redraw();
  }

  private show(from: number, span: number): void {
    this.from = Math.max(0, Math.min(from, this.duration - span));
    this.to = this.from + span;
  }

  private x(seconds: number): number {
    return ((seconds - this.from) / (this.to - this.from)) * this.root.clientWidth;
  }

  private timeAt(event: MouseEvent): number {
    const x = event.clientX - this.root.getBoundingClientRect().left;
    return Math.min(this.duration, Math.max(0, this.from + (x / this.root.clientWidth) * (this.to - this.from)));
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.root.focus({ preventScroll: true });
    this.pressedAt = event.clientX;
    const at = this.timeAt(event);
    const grip = this.under(at);
    if (grip) {
      this.desk.select([grip.id as string]);
      if (this.desk.canDraw()) this.grip = grip;
    } else if (this.desk.canDraw()) this.grip = { id: null, from: at, to: at };
    else this.desk.seek(at);
    this.redraw();
  }

  private move(event: PointerEvent): void {
    const at = this.timeAt(event);
    const { grip } = this;
    if (!grip) {
      const under = this.under(at);
      this.root.style.cursor = !under || under.id === null ? "crosshair" : under.part === "all" ? "move" : "ew-resize";
      return;
    }
    if (grip.id === null) grip.to = at;
    else grip.now = this.dragged(grip, at);
    this.redraw();
  }

  private up(event: PointerEvent): void {
    const { grip } = this;
    this.grip = null;
    if (!grip) return;
    const at = this.timeAt(event);
    if (Math.abs(event.clientX - this.pressedAt) < 4) this.clicked(at);
    else if (grip.id === null) this.made(Math.min(grip.from, at), Math.max(grip.from, at));
    else this.desk.put(this.dragged(grip, at), false);
    this.redraw();
  }

  private clicked(at: number): void {
    if (!this.under(at)) this.desk.select([]);
    this.desk.seek(at);
  }

  private made(start: number, end: number): void {
    if (end - start < SHORTEST_S) return;
    this.desk.put({ id: newId(), type: "segment", start: thousandth(start), end: thousandth(end) }, true);
  }

  private dragged(grip: Extract<Grip, { id: string }>, at: number): Segment {
    const segment = this.desk.segments().find((one) => one.id === grip.id) ?? grip.now;
    if (grip.part === "start") return { ...segment, start: thousandth(Math.min(at, segment.end - SHORTEST_S)) };
    if (grip.part === "end") return { ...segment, end: thousandth(Math.max(at, segment.start + SHORTEST_S)) };
    const length = segment.end - segment.start;
    const start = Math.min(this.duration - length, Math.max(0, at - grip.offset));
    return { ...segment, start: thousandth(start), end: thousandth(start + length) };
  }

  private under(at: number): Extract<Grip, { id: string }> | null {
    const near = (seconds: number) => Math.abs(this.x(seconds) - this.x(at)) <= EDGE_PX;
    const list = [...this.desk.segments()].reverse();
    const edge = list.find((one) => near(one.start) || near(one.end));
    if (edge) return { id: edge.id, part: near(edge.end) ? "end" : "start", offset: 0, now: edge };
    const inside = list.find((one) => one.start <= at && at <= one.end);
    return inside ? { id: inside.id, part: "all", offset: at - inside.start, now: inside } : null;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.shiftKey) this.show(this.from + ((event.deltaX || event.deltaY) / 600) * (this.to - this.from), this.to - this.from);
    else this.zoom(Math.exp(-event.deltaY * 0.0016), this.timeAt(event));
    this.redraw();
  }

  private draw(): void {
    this.frame = 0;
    const { clientWidth: w, clientHeight: h } = this.root;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) Object.assign(this.canvas, { width: Math.round(w * ratio), height: Math.round(h * ratio) });
    const g = this.canvas.getContext("2d");
    if (!g) return;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    this.drawWave(g, w, h);
    this.drawTimes(g, w, h);
    for (const segment of this.desk.segments()) this.drawSegment(g, this.grip?.id === segment.id ? (this.grip as Extract<Grip, { id: string }>).now : segment, h);
    if (this.grip?.id === null) this.drawSegment(g, { id: "", type: "segment", start: Math.min(this.grip.from, this.grip.to), end: Math.max(this.grip.from, this.grip.to) }, h);
    const x = this.x(this.desk.time());
    g.fillStyle = this.palette().guide;
    g.fillRect(x - 1, 0, 2, h);
  }

  private drawWave(g: CanvasRenderingContext2D, w: number, h: number): void {
    const middle = (h - 20) / 2;
    g.fillStyle = this.palette().wave;
    for (let x = 0; x < w; x++) {
      const [from, to] = [this.from + (x / w) * (this.to - this.from), this.from + ((x + 1) / w) * (this.to - this.from)];
      const [low, high] = this.peaks.between(from, to);
      g.fillRect(x, middle - high * middle, 1, Math.max(1, (high - low) * middle));
    }
  }

  private drawTimes(g: CanvasRenderingContext2D, w: number, h: number): void {
    const span = this.to - this.from;
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600].find((one) => span / one <= w / 70) ?? 1800;
    g.font = `11px ${this.palette().font}`;
    g.fillStyle = this.palette().waveText;
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      g.fillRect(this.x(t), h - 20, 1, 5);
      g.fillText(clock(t, step < 1), this.x(t) + 3, h - 6);
    }
  }

  private drawSegment(g: CanvasRenderingContext2D, segment: Segment, h: number): void {
    const [x0, x1] = [this.x(segment.start), this.x(segment.end)];
    const colour = this.desk.labelOf(segment)?.colour ?? this.palette().guide;
    const isChosen = this.desk.selection().has(segment.id);
    g.fillStyle = colour;
    g.globalAlpha = isChosen ? 0.4 : 0.22;
    g.fillRect(x0, 0, x1 - x0, h - 20);
    g.globalAlpha = 1;
    g.fillRect(x0 - 1, 0, isChosen ? 3 : 2, h - 20);
    g.fillRect(x1 - 1, 0, isChosen ? 3 : 2, h - 20);
    if (!segment.text && !this.desk.labelOf(segment)) return;
    g.save();
    g.beginPath();
    g.rect(x0, 0, x1 - x0, 22);
    g.clip();
    g.font = `600 12px ${this.palette().font}`;
    g.fillStyle = this.palette().waveText;
    g.fillText(segment.text || (this.desk.labelOf(segment)?.name ?? ""), x0 + 5, 16);
    g.restore();
  }
}

export function clock(seconds: number, hasTenths = false): string {
  const whole = Math.floor(seconds + 1e-6);
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return `${minutes}:${rest}${hasTenths ? `.${Math.floor((seconds - whole + 1e-6) * 10)}` : ""}`;
}

function thousandth(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
