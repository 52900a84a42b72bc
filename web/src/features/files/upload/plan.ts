/** Decides what is sent how: small files together in batches, large ones alone in chunks, known content not at all. */
export interface HashedFile {
  path: string;
  file: Blob;
  sha256: string;
}

export interface SendPlan<T> {
  /** Content to send, once each, many in one request. */
  batches: T[][];
  /** Content to send in chunks. */
  large: T[];
}

export const LARGE_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 500;
const BATCH_BYTES = 16 * 1024 * 1024;
const WINDOW_FILES = 1000;
const WINDOW_BYTES = 256 * 1024 * 1024;

/** Files are worked on in windows: hashed, sent and attached together, so that progress is kept as it goes. */
export function* windows<T extends { file: Blob }>(files: readonly T[]): Generator<T[]> {
  let window: T[] = [];
  let bytes = 0;
  for (const item of files) {
    if (window.length > 0 && (window.length >= WINDOW_FILES || bytes + item.file.size > WINDOW_BYTES)) {
      yield window;
      window = [];
      bytes = 0;
    }
    window.push(item);
    bytes += item.file.size;
  }
  if (window.length > 0) yield window;
}

export function planSending<T extends HashedFile>(files: readonly T[], missing: ReadonlySet<string>): SendPlan<T> {
  const toSend = firstOfEachContent(files).filter((item) => missing.has(item.sha256));
  return {
    batches: batched(toSend.filter((item) => item.file.size < LARGE_BYTES)),
    large: toSend.filter((item) => item.file.size >= LARGE_BYTES),
  };
}

/** The body of a batch. A Blob of files is read from disk while it is sent, never held in memory. */
export function batchBody(files: readonly HashedFile[]): Blob {
  return new Blob(files.flatMap(({ sha256, file }) => [`${sha256} ${file.size}\n`, file]));
}

function firstOfEachContent<T extends HashedFile>(files: readonly T[]): T[] {
  return [...new Map(files.toReversed().map((item) => [item.sha256, item])).values()].toReversed();
}

function batched<T extends HashedFile>(files: readonly T[]): T[][] {
  const batches: T[][] = [];
  let bytes = Infinity;
  for (const item of files) {
    const last = batches.at(-1);
    if (!last || last.length >= BATCH_FILES || bytes + item.file.size > BATCH_BYTES) {
      batches.push([item]);
      bytes = item.file.size;
    } else {
      last.push(item);
      bytes += item.file.size;
    }
  }
  return batches;
}
