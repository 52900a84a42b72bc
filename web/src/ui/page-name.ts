/** What the thing on this page is called, for the breadcrumb where its address has only an id. */
import { useEffect, useSyncExternalStore } from "react";

let current: string | null = null;
const listeners = new Set<() => void>();

function set(name: string | null): void {
  current = name;
  for (const listener of listeners) listener();
}

/** Names the page for as long as the caller is on it. */
export function useNamePage(name: string | null): void {
  useEffect(() => {
    set(name);
    return () => set(null);
  }, [name]);
}

export function usePageName(): string | null {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
