/** How the picture is shown: kept in this browser, the same for every item. */
import { useSyncExternalStore } from "react";
import { readSaved, save } from "@/lib/saved";

export interface ViewOptions {
  isSnapping: boolean;
  hasTags: boolean;
  hasMagnifier: boolean;
  /** How strongly shapes are filled, 0 to 0.6. */
  fill: number;
  brightness: number;
  contrast: number;
  /** Go on with the same part of the picture in the next item. */
  keepView: boolean;
}

const DEFAULT: ViewOptions = { isSnapping: true, hasTags: true, hasMagnifier: false, fill: 0.12, brightness: 1, contrast: 1, keepView: false };
const SAVED = "annotate.view";
const listeners = new Set<() => void>();
let options = read();

export const viewOptions = {
  get: (): ViewOptions => options,
  set(next: Partial<ViewOptions>): void {
    options = { ...options, ...next };
    save(SAVED, JSON.stringify(options));
    listeners.forEach((listener) => listener());
  },
  reset(): void {
    viewOptions.set({ brightness: 1, contrast: 1, fill: DEFAULT.fill });
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function useViewOptions(): ViewOptions {
  return useSyncExternalStore(viewOptions.subscribe, viewOptions.get);
}

function read(): ViewOptions {
  try {
    return { ...DEFAULT, ...(JSON.parse(readSaved(SAVED) ?? "{}") as Partial<ViewOptions>) };
  } catch (error) {
    if (error instanceof SyntaxError) return DEFAULT;
    throw error;
  }
}
