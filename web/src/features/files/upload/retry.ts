/** Tries again while the server is away or busy; anything the server really refuses is not repeated. */
import { ApiFailure, NetworkFailure } from "@/api/failure";

const WAITS_S = [1, 2, 4, 8, 15, 30];
const PASSING = new Set([429, 502, 503, 504]);

export interface RetryOptions {
  signal: AbortSignal;
  /** Told before each wait, and with null when the wait is over. */
  onWaiting: (seconds: number | null) => void;
  wait?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

export async function withRetry<T>(work: () => Promise<T>, { signal, onWaiting, wait = pause }: RetryOptions): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      const seconds = waitOf(error, attempt);
      onWaiting(seconds);
      await wait(seconds, signal);
      onWaiting(null);
    }
  }
}

export function isPassing(error: unknown): boolean {
  return error instanceof NetworkFailure || (error instanceof ApiFailure && PASSING.has(error.status));
}

function waitOf(error: unknown, attempt: number): number {
  const asked = error instanceof ApiFailure ? error.retryAfterS : null;
  return asked ?? WAITS_S[Math.min(attempt, WAITS_S.length - 1)] ?? 30;
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      window.clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = window.setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal.addEventListener("abort", stop, { once: true });
  });
}
