/** The current time, renewed every half minute for everything on the page at once. */
import { useSyncExternalStore } from "react";

const PERIOD_MS = 30_000;
let now = Date.now();
let timer: number | undefined;
const listeners = new Set<() => void>();

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) start();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function start(): void {
  now = Date.now();
  timer = window.setInterval(() => {
    now = Date.now();
    listeners.forEach((listener) => listener());
  }, PERIOD_MS);
}
