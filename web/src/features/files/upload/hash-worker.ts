/** Hashes files off the main thread, a slice at a time, so that a file of any size takes the same memory. */
import { createSHA256 } from "hash-wasm";
import type { HashAnswer, HashRequest } from "./hash-pool";

const SLICE_BYTES = 4 * 1024 * 1024;
const cancelled = new Set<number>();
/** Made once: the pool gives a worker one file at a time, and starting anew is cheaper than making another. */
const ready = createSHA256();

self.onmessage = (event: MessageEvent<HashRequest>) => {
  const request = event.data;
  if (request.type === "cancel") cancelled.add(request.id);
  else void answer(request.id, request.file);
};

async function answer(id: number, file: Blob): Promise<void> {
  try {
    const sha256 = await hash(id, file);
    post(sha256 === null ? { type: "cancelled", id } : { type: "done", id, sha256 });
  } catch (error) {
    post({ type: "failed", id, reason: error instanceof Error ? error.message : String(error) });
  } finally {
    cancelled.delete(id);
  }
}

async function hash(id: number, file: Blob): Promise<string | null> {
  const hasher = (await ready).init();
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    if (cancelled.has(id)) return null;
    const bytes = await file.slice(at, at + SLICE_BYTES).arrayBuffer();
    hasher.update(new Uint8Array(bytes));
    if (file.size > SLICE_BYTES) post({ type: "progress", id, bytes: Math.min(at + SLICE_BYTES, file.size) });
  }
  return hasher.digest("hex");
}

function post(message: HashAnswer): void {
  self.postMessage(message);
}
