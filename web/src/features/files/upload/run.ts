/**
 * One upload: some files on their way into a folder of a draft.
 *
 * Files go through in windows: hashed, compared with what the server has, sent, attached. While one window is sent the next is
 * hashed. Pausing aborts what is in flight; going on starts with the files that are not attached yet, and the server says how
 * far each large one got. A server that is away is waited for.
 */
import { ApiFailure, NetworkFailure, isFailure, isNotFound } from "@/api/failure";
import { UnreadableFile } from "./hash-pool";
import type { HashFile } from "./hash-pool";
import { planSending, windows } from "./plan";
import type { HashedFile } from "./plan";
import { isPassing, withRetry } from "./retry";
import { SpeedMeter } from "./speed";
import type { OpenUpload, UploadWire } from "./wire";
import { pathProblem } from "../paths";
import type { PathProblem } from "../paths";

export type FileProblem = { kind: "path"; rule: PathProblem } | { kind: "unreadable" } | { kind: "changed" } | { kind: "refused"; error: unknown };

export interface UploadItem {
  path: string;
  file: Blob;
  sha256: string | null;
  state: "waiting" | "attached" | "failed";
  problem: FileProblem | null;
}

export type RunState = "running" | "paused" | "finished" | "failed" | "cancelled";

export interface RunSnapshot {
  state: RunState;
  files: number;
  attached: number;
  failed: UploadItem[];
  bytes: number;
  hashedBytes: number;
  doneBytes: number;
  bytesPerSecond: number;
  /** Seconds until the server is tried again; null while it answers. */
  waitingS: number | null;
  error: unknown;
}

export interface RunParts {
  wire: UploadWire;
  hash: HashFile;
  onChange: () => void;
  /** Some files are now part of the draft. */
  onAttached: () => void;
  wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

const LANES = 2;
const HASHES_AT_ONCE = 8;
const ATTACH_ATTEMPTS = 3;

type Ready = UploadItem & HashedFile;

export class UploadRun {
  private readonly items: UploadItem[];
  private readonly meter = new SpeedMeter();
  private state: RunState = "running";
  private error: unknown = null;
  private waitingS: number | null = null;
  private hashedBytes = 0;
  private inFlight = new Map<object, number>();
  private openIds = new Set<string>();
  private controller = new AbortController();
  private current = Promise.resolve();
  private folders: string[];

  constructor(
    files: { path: string; file: Blob }[],
    folders: string[],
    private readonly parts: RunParts,
  ) {
    this.items = files.map(({ path, file }) => newItem(path, file));
    this.folders = folders;
  }

  snapshot(): RunSnapshot {
    const attached = this.items.filter((item) => item.state === "attached");
    return {
      state: this.state,
      files: this.items.length,
      attached: attached.length,
      failed: this.items.filter((item) => item.state === "failed"),
      bytes: sizeOf(this.items),
      hashedBytes: this.hashedBytes,
      doneBytes: sizeOf(attached) + [...this.inFlight.values()].reduce((sum, bytes) => sum + bytes, 0),
      bytesPerSecond: this.meter.bytesPerSecond(),
      waitingS: this.waitingS,
      error: this.error,
    };
  }

  /** Works until everything is attached or failed, or until it is paused, cancelled or refused. Never rejects. */
  start(): Promise<void> {
    this.set("running");
    // What was paused may still be winding down; two of them must not work on the same files.
    this.current = this.current.then(() => this.go());
    return this.current;
  }

  pause(): void {
    if (this.state !== "running") return;
    this.set("paused");
    this.meter.reset();
    this.controller.abort();
  }

  /** Gives up, and frees the space that half-sent files took. What is attached stays. */
  async cancel(): Promise<void> {
    this.set("cancelled");
    this.controller.abort();
    await this.current; // a chunk on its way must not meet the upload being dropped
    await Promise.allSettled([...this.openIds].map((id) => this.parts.wire.dropUpload(id)));
  }

  retryFailed(): void {
    for (const item of this.items) {
      if (item.state !== "failed" || item.problem?.kind === "path") continue;
      item.state = "waiting";
      item.problem = null;
    }
    void this.start();
  }

  private async go(): Promise<void> {
    if (this.state !== "running") return;
    this.controller = new AbortController();
    try {
      await this.work(this.controller);
      this.set("finished");
    } catch (error) {
      if (this.state === "running") this.set("failed", error);
    } finally {
      this.inFlight.clear();
      this.waitingS = null;
      this.parts.onChange();
    }
  }

  private set(state: RunState, error: unknown = null): void {
    this.state = state;
    this.error = error;
    this.parts.onChange();
  }

  private async work(controller: AbortController): Promise<void> {
    const { signal } = controller;
    await this.makeFolders(signal);
    let sending = Promise.resolve();
    for (const window of windows(this.items.filter((item) => item.state === "waiting"))) {
      const ready = await this.hashAll(window, signal);
      await sending;
      sending = this.sendWindow(ready, signal);
      // A refusal ends the hashing of the next window too; it is thrown where `sending` is awaited.
      sending.catch((error: unknown) => controller.abort(error));
    }
    await sending;
    await this.retry(async () => this.parts.wire.finish?.(signal), signal);
  }

  private async makeFolders(signal: AbortSignal): Promise<void> {
    while (this.folders.length > 0) {
      const [folder = ""] = this.folders;
      if (pathProblem(folder) === null) await this.retry(() => this.parts.wire.makeFolder(folder, signal), signal);
      this.folders = this.folders.slice(1);
    }
  }

  private async hashAll(window: UploadItem[], signal: AbortSignal): Promise<Ready[]> {
    await inLanes(HASHES_AT_ONCE, window, (item) => this.hashOne(item, signal));
    this.parts.onChange();
    return window.filter((item): item is Ready => item.sha256 !== null && item.state === "waiting");
  }

  private async hashOne(item: UploadItem, signal: AbortSignal): Promise<void> {
    if (item.sha256 !== null) return;
    let counted = 0;
    const count = (bytes: number) => {
      this.hashedBytes += bytes - counted;
      counted = bytes;
      this.parts.onChange();
    };
    try {
      item.sha256 = await this.parts.hash(item.file, signal, count);
      count(item.file.size);
    } catch (error) {
      this.hashedBytes -= counted;
      if (!(error instanceof UnreadableFile)) throw error;
      this.fail(item, { kind: "unreadable" });
    }
  }

  private async sendWindow(files: Ready[], signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const waiting = files.filter((item) => item.state === "waiting");
      if (waiting.length === 0) return;
      await this.sendContents(waiting, signal);
      try {
        await this.attach(waiting.filter((item) => item.state === "waiting"), signal);
        return;
      } catch (error) {
        // Content that the server gave up meanwhile is sent once more.
        if (!isFailure(error, "blob_missing") || attempt >= ATTACH_ATTEMPTS) throw error;
      }
    }
  }

  private async sendContents(files: Ready[], signal: AbortSignal): Promise<void> {
    const contents = files.map((item) => ({ sha256: item.sha256, size_bytes: item.file.size }));
    const missing = await this.retry(() => this.parts.wire.findMissing(contents, signal), signal);
    const plan = planSending(files, missing);
    await inLanes(LANES, plan.batches, (batch) => this.sendBatch(batch, signal));
    await inLanes(LANES, plan.large, (item) => this.sendLarge(item, signal));
    this.failCopiesOfFailed(files);
  }

  /** Only one of several files with the same content is sent; when it fails the others have nothing to attach. */
  private failCopiesOfFailed(files: Ready[]): void {
    const failed = new Map(files.filter((item) => item.state === "failed").map((item) => [item.sha256, item.problem]));
    for (const item of files) {
      const problem = failed.get(item.sha256);
      if (problem && item.state === "waiting") this.fail(item, problem);
    }
  }

  private async sendBatch(batch: Ready[], signal: AbortSignal): Promise<void> {
    const key = {};
    const body = sizeOf(batch);
    try {
      await this.retry(async () => {
        await this.unlessUnreadable(batch, () =>
          this.parts.wire.sendBatch(batch, signal, (bytes) => this.progress(key, Math.min(bytes, body))),
        );
      }, signal);
      this.progress(key, body);
    } catch (error) {
      this.inFlight.delete(key);
      await this.afterBatchFailure(batch, error, signal);
    }
  }

  /** One bad file must not stop the others: the batch is halved until the bad one stands alone. */
  private async afterBatchFailure(batch: Ready[], error: unknown, signal: AbortSignal): Promise<void> {
    const isAboutFiles = error instanceof UnreadableFile || (error instanceof ApiFailure && error.status === 422);
    if (!isAboutFiles) throw error;
    const [only] = batch;
    if (batch.length === 1 && only) {
      this.fail(only, problemOf(error));
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.sendBatch(batch.slice(0, half), signal);
    await this.sendBatch(batch.slice(half), signal);
  }

  private async sendLarge(item: Ready, signal: AbortSignal): Promise<void> {
    try {
      await this.sendChunks(item, signal);
      this.progress(item, item.file.size);
    } catch (error) {
      this.inFlight.delete(item);
      const isAboutFile = error instanceof UnreadableFile || isFailure(error, "checksum_mismatch");
      if (!isAboutFile) throw error;
      this.fail(item, problemOf(error));
    }
  }

  private async sendChunks(item: Ready, signal: AbortSignal): Promise<void> {
    let upload = await this.open(item, signal);
    while (upload.state !== "complete") {
      signal.throwIfAborted();
      this.progress(item, upload.offset, false);
      upload = await this.sendChunk(item, upload, signal);
    }
    this.openIds.delete(upload.id);
  }

  private async open(item: Ready, signal: AbortSignal): Promise<OpenUpload> {
    const content = { sha256: item.sha256, size_bytes: item.file.size, name: item.path };
    const upload = await this.retry(() => this.parts.wire.openUpload(content, signal), signal);
    this.openIds.add(upload.id);
    return upload;
  }

  /** Sends the next chunk. After a break the server is asked how far it got before anything is sent again. */
  private async sendChunk(item: Ready, upload: OpenUpload, signal: AbortSignal): Promise<OpenUpload> {
    const { offset, chunk_bytes } = upload;
    const body = item.file.slice(offset, offset + chunk_bytes);
    try {
      return await this.unlessUnreadable([item], () =>
        this.parts.wire.sendChunk(upload.id, offset, body, signal, (bytes) => this.progress(item, offset + bytes)),
      );
    } catch (error) {
      if (isFailure(error, "wrong_offset")) return this.retry(() => this.parts.wire.readUpload(upload.id, signal), signal);
      if (isNotFound(error)) return this.open(item, signal);
      if (!isPassing(error)) throw error;
      return this.askAfterWaiting(error, upload.id, signal);
    }
  }

  private askAfterWaiting(error: unknown, id: string, signal: AbortSignal): Promise<OpenUpload> {
    let hasWaited = false;
    return this.retry(() => {
      if (hasWaited) return this.parts.wire.readUpload(id, signal);
      hasWaited = true;
      throw error;
    }, signal);
  }

  private async attach(files: Ready[], signal: AbortSignal): Promise<void> {
    if (files.length === 0) return;
    const entries = files.map((item) => ({ path: item.path, sha256: item.sha256, size_bytes: item.file.size }));
    await this.retry(() => this.parts.wire.attach(entries, signal), signal);
    for (const item of files) item.state = "attached";
    this.inFlight.clear();
    this.parts.onAttached();
    this.parts.onChange();
  }

  /** A browser reports a file it cannot read as a broken connection; this finds out which it was. */
  private async unlessUnreadable<T>(items: Ready[], send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof NetworkFailure) await assertReadable(items);
      throw error;
    }
  }

  private retry<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const onWaiting = (seconds: number | null) => {
      this.waitingS = seconds;
      if (seconds !== null) this.meter.reset();
      this.parts.onChange();
    };
    return withRetry(work, { signal, onWaiting, wait: this.parts.wait });
  }

  private progress(key: object, bytes: number, isSent = true): void {
    const before = this.inFlight.get(key) ?? 0;
    this.inFlight.set(key, bytes);
    if (isSent && bytes > before) this.meter.add(bytes - before);
    this.parts.onChange();
  }

  private fail(item: UploadItem, problem: FileProblem): void {
    if (item.sha256 !== null) this.hashedBytes -= item.file.size;
    item.state = "failed";
    item.problem = problem;
    item.sha256 = null; // the file may have changed, so trying again starts with reading it
    this.parts.onChange();
  }
}

function newItem(path: string, file: Blob): UploadItem {
  const rule = pathProblem(path);
  return { path: path.normalize("NFC"), file, sha256: null, state: rule ? "failed" : "waiting", problem: rule && { kind: "path", rule } };
}

function problemOf(error: unknown): FileProblem {
  if (error instanceof UnreadableFile) return { kind: "unreadable" };
  return isFailure(error, "checksum_mismatch") ? { kind: "changed" } : { kind: "refused", error };
}

function sizeOf(items: readonly { file: Blob }[]): number {
  return items.reduce((sum, item) => sum + item.file.size, 0);
}

async function assertReadable(items: readonly { file: Blob }[]): Promise<void> {
  for (const { file } of items) {
    try {
      await file.slice(0, 1).arrayBuffer();
    } catch (error) {
      throw new UnreadableFile("file", { cause: error });
    }
  }
}

async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
}
