import { useState } from "react";
import { readSaved, save } from "@/lib/saved";
import type { ListColumn } from "./types";

/** Which columns are shown; remembered per list. The first column is the thing's name and always there. */
export function useColumnsChoice<T>(listKey: string, columns: ListColumn<T>[]) {
  const storageKey = `columns.${listKey}`;
  const [hidden, setHidden] = useState(() => readHidden(storageKey) ?? defaultHidden(columns));
  const visible = columns.filter((column, index) => index === 0 || !hidden.includes(column.key));

  const setShown = (key: string, isShown: boolean) => {
    const next = isShown ? hidden.filter((other) => other !== key) : [...hidden, key];
    setHidden(next);
    save(storageKey, JSON.stringify(next));
  };
  return { visible, isShown: (key: string) => !hidden.includes(key), setShown };
}

function defaultHidden<T>(columns: ListColumn<T>[]): string[] {
  return columns.filter((column) => column.isHidden).map((column) => column.key);
}

function readHidden(storageKey: string): string[] | null {
  const saved = readSaved(storageKey);
  if (saved === null) return null;
  try {
    const parsed: unknown = JSON.parse(saved);
    return Array.isArray(parsed) ? parsed.filter((key) => typeof key === "string") : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // written by something else: fall back to the defaults
    throw error;
  }
}
