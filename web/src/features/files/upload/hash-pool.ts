/** A few workers that hash files; each has one file at a time. */
export type HashRequest = { type: "hash"; id: number; file: Blob } | { type: "cancel"; id: number };
export type HashAnswer =
  | { type: "progress"; id: number; bytes: number }
  | { type: "done"; id: number; sha256: string }
  | { type: "cancelled"; id: number }
  | { type: "failed"; id: number; reason: string };

/** The file could not be read: it was changed, moved or removed after it was chosen. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

export type HashFile = (file: Blob, signal: AbortSignal, onProgress: (bytes: number) => void) => Promise<string>;

interface Job {
  id: number;
  file: Blob;
  signal: AbortSignal;
  onProgress: (bytes: number) => void;
  resolve: (sha256: string) => void;
  reject: (error: unknown) => void;
}

const WORKERS_MAX = 3;

export class HashPool {
  private readonly idle: Worker[] = [];
  private readonly queue: Job[] = [];
  private started = 0;
  private lastId = 0;

  constructor(
    private readonly makeWorker: () => Worker,
    private readonly size = Math.max(1, Math.min(WORKERS_MAX, (navigator.hardwareConcurrency || 2) - 1)),
  ) {}

  readonly hash: HashFile = (file, signal, onProgress) =>
    new Promise((resolve, reject) => {
      this.queue.push({ id: ++this.lastId, file, signal, onProgress, resolve, reject });
      this.feed();
    });

  private feed(): void {
    while (this.queue.length > 0) {
      const worker = this.idle.pop() ?? this.startWorker();
      if (!worker) return;
      const job = this.queue.shift();
      if (job) this.give(worker, job);
    }
  }

  private startWorker(): Worker | null {
    if (this.started >= this.size) return null;
    this.started += 1;
    return this.makeWorker();
  }

  private give(worker: Worker, job: Job): void {
    if (job.signal.aborted) {
      this.finish(worker, () => job.reject(job.signal.reason));
      return;
    }
    const cancel = () => worker.postMessage({ type: "cancel", id: job.id } satisfies HashRequest);
    const finish = (settle: () => void) => {
      job.signal.removeEventListener("abort", cancel);
      this.finish(worker, settle);
    };
    job.signal.addEventListener("abort", cancel, { once: true });
    worker.onmessage = ({ data }: MessageEvent<HashAnswer>) => {
      if (data.type === "progress") job.onProgress(data.bytes);
      else if (data.type === "done") finish(() => job.resolve(data.sha256));
      else if (data.type === "cancelled") finish(() => job.reject(job.signal.reason));
      else finish(() => job.reject(new UnreadableFile(data.reason)));
    };
    worker.onerror = (event) => finish(() => job.reject(new Error(event.message || "worker")));
    worker.postMessage({ type: "hash", id: job.id, file: job.file } satisfies HashRequest);
  }

  private finish(worker: Worker, settle: () => void): void {
    worker.onmessage = null;
    worker.onerror = null;
    this.idle.push(worker);
    settle();
    this.feed();
  }
}
