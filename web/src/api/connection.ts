/** Whether the server can be reached, and whether it keeps the user waiting, as seen by the latest requests. */
import { useSyncExternalStore } from "react";

export type ConnectionState = "fine" | "slow" | "away";

const SLOW_AFTER_MS = 6_000;
const GATEWAY_ERRORS = new Set([502, 503, 504]);
let isAway = false;
let slowRequests = 0;
const listeners = new Set<() => void>();

export const connection = {
  reached(status: number): void {
    update(() => (isAway = GATEWAY_ERRORS.has(status)));
  },
  missed(): void {
    update(() => (isAway = true));
  },
  /** Call when a request starts, and what it returns when it ends. */
  watch(): () => void {
    let isSlow = false;
    const timer = window.setTimeout(() => {
      isSlow = true;
      update(() => (slowRequests += 1));
    }, SLOW_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
      if (isSlow) update(() => (slowRequests -= 1));
    };
  },
};

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(subscribe, current);
}

function current(): ConnectionState {
  if (isAway || !navigator.onLine) return "away";
  return slowRequests > 0 ? "slow" : "fine";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

function update(change: () => void): void {
  const before = current();
  change();
  if (current() !== before) listeners.forEach((listener) => listener());
}
