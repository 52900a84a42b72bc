/** A node's log: its end first, earlier parts on demand, and what is written from then on as it is written. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { logStreamAddress, readLogs } from "../api";
import type { LogPiece, WorkloadRef } from "../types";
import { LogBuffer } from "./log-buffer";

const PIECE_BYTES = 512 * 1024;
const RECONNECT_MS = 2_000;

export interface LogState {
  /** Grows with each change of the buffer. */
  version: number;
  /** Grows when another part of the log is begun with. */
  part: number;
  status: "loading" | "live" | "over" | "lost" | "failed";
  isLoadingEarlier: boolean;
  /** What is held does not reach the end: a place in the middle is being looked at. */
  isDetached: boolean;
  error: unknown;
}

export class LogFollower {
  readonly buffer = new LogBuffer();
  private state: LogState = { version: 0, part: 0, status: "loading", isLoadingEarlier: false, isDetached: false, error: null };
  private readonly listeners = new Set<() => void>();
  private source: EventSource | null = null;
  private timer: number | undefined;
  private frame: number | undefined;
  private waiting: { text: string; next: number } | null = null;
  private isLoadingLater = false;
  private abort = new AbortController();

  constructor(
    private readonly workload: WorkloadRef,
    private readonly node: number,
    /** An earlier attempt, of which nothing more will come; null: the newest, and those that follow. */
    private readonly attempt: number | null = null,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): LogState => this.state;

  start(): void {
    this.abort = new AbortController();
    document.addEventListener("visibilitychange", this.visibility);
    void this.toEnd();
  }

  stop(): void {
    document.removeEventListener("visibilitychange", this.visibility);
    this.abort.abort();
    this.close();
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
    this.waiting = null;
  }

  /** The newest part, and then what is written. */
  async toEnd(): Promise<void> {
    this.close();
    await this.load(-PIECE_BYTES, (piece) => this.begin(withoutBrokenLine(piece)));
  }

  /** The part around a place, such as a line that was found. */
  async toOffset(offset: number): Promise<void> {
    this.close();
    await this.load(Math.max(0, offset), (piece) => this.begin(piece));
  }

  async toBeginning(): Promise<void> {
    await this.toOffset(0);
  }

  async loadEarlier(): Promise<number> {
    const { start } = this.buffer;
    if (this.state.isLoadingEarlier || !Number.isFinite(start) || start <= 0) return 0;
    this.change({ isLoadingEarlier: true });
    const from = Math.max(0, start - PIECE_BYTES);
    let added = 0;
    await this.load(
      from,
      (piece) => {
        added = this.buffer.prepend(from > 0 ? withoutBrokenLine(piece) : piece);
      },
      start - from,
    );
    this.change({ isLoadingEarlier: false });
    return added;
  }

  /** What comes after a part in the middle. */
  async loadLater(): Promise<void> {
    if (!this.state.isDetached || this.isLoadingLater) return;
    this.isLoadingLater = true;
    await this.load(this.buffer.next, (piece) => {
      this.buffer.append(piece.text, piece.next_offset);
      this.settle(piece);
    });
    this.isLoadingLater = false;
  }

  private async load(offset: number, take: (piece: LogPiece) => void, limit = PIECE_BYTES): Promise<void> {
    const { signal } = this.abort;
    try {
      take(await readLogs(this.workload, { node: this.node, attempt: this.attempt ?? undefined, offset, limit }, signal));
      this.change({ version: this.state.version + 1, error: null });
    } catch (error) {
      if (!signal.aborted) this.change({ status: "failed", error });
    }
  }

  private begin(piece: LogPiece): void {
    this.buffer.begin(piece);
    this.change({ part: this.state.part + 1 });
    this.settle(piece);
  }

  private settle(piece: LogPiece): void {
    const isAtEnd = piece.next_offset >= piece.end_offset;
    const isOver = piece.is_over || this.attempt !== null;
    this.change({ isDetached: !isAtEnd, status: isAtEnd && isOver ? "over" : "live" });
    if (isAtEnd && !isOver) this.open();
  }

  private open(): void {
    this.close();
    if (document.hidden) return;
    // Opened anew rather than by the browser: it would ask again for what has already come.
    const source = new EventSource(logStreamAddress(this.workload, this.node, this.waiting?.next ?? this.buffer.next));
    this.source = source;
    source.onopen = () => this.change({ status: "live" });
    source.addEventListener("log", (event: MessageEvent<string>) => this.take(JSON.parse(event.data) as { text: string; next_offset: number }));
    source.addEventListener("end", () => {
      this.close();
      this.flush();
      this.change({ status: "over" });
    });
    source.onerror = () => {
      this.close();
      this.change({ status: "lost" });
      this.timer = window.setTimeout(() => this.open(), RECONNECT_MS);
    };
  }

  /** Browsers hold few connections to one server; a page that is not looked at gives its own back. */
  private readonly visibility = (): void => {
    if (this.state.status === "over" || this.state.status === "failed" || this.state.isDetached) return;
    if (document.hidden) this.close();
    else this.open();
  };

  /** A flood of lines is drawn once a frame. */
  private take({ text, next_offset: next }: { text: string; next_offset: number }): void {
    this.waiting = { text: (this.waiting?.text ?? "") + text, next };
    this.frame ??= requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    this.frame = undefined;
    if (!this.waiting) return;
    this.buffer.append(this.waiting.text, this.waiting.next);
    this.waiting = null;
    this.change({ version: this.state.version + 1 });
  }

  private close(): void {
    window.clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  private change(change: Partial<LogState>): void {
    this.state = { ...this.state, ...change };
    this.listeners.forEach((listener) => listener());
  }
}

export function useLogFollower(workload: WorkloadRef, node: number, attempt: number | null): [LogFollower, LogState] {
  const { project, id } = workload;
  const follower = useMemo(() => new LogFollower({ project, id }, node, attempt), [project, id, node, attempt]);
  useEffect(() => {
    follower.start();
    return () => follower.stop();
  }, [follower]);
  return [follower, useSyncExternalStore(follower.subscribe, follower.current)];
}

/** A piece from somewhere in the middle begins within a line: that line is left for the piece before it. */
function withoutBrokenLine(piece: LogPiece): LogPiece {
  if (piece.offset <= 0) return piece;
  const at = piece.text.indexOf("\n");
  if (at < 0) return piece;
  const skipped = new TextEncoder().encode(piece.text.slice(0, at + 1)).length;
  return { ...piece, text: piece.text.slice(at + 1), offset: piece.offset + skipped };
}
