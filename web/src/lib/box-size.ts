import { useCallback, useState } from "react";

export interface BoxSize {
  width: number;
  height: number;
}

/** The size of an element as it is laid out; null until it is on the page. */
export function useBoxSize(): [(element: HTMLElement | null) => (() => void) | undefined, BoxSize | null] {
  const [size, setSize] = useState<BoxSize | null>(null);
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [watch, size];
}
