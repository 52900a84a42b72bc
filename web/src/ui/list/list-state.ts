/** A list's search, order and filters, kept in the address so that a link or the back button restores them. */
import { useCallback, useMemo } from "react";
import { useAddress } from "../address";
import type { ListFilter } from "./types";

export interface ListState {
  q: string;
  sort: string;
  filters: Record<string, string>;
  isNarrowed: boolean;
  change: (changes: Record<string, string | null>) => void;
  clear: () => void;
}

export function useListState(filters: ListFilter[], defaultSort: string): ListState {
  const [params, change] = useAddress();
  const keys = useMemo(() => filters.flatMap(filterKeys), [filters]);
  const q = params.get("q") ?? "";
  const sort = params.get("sort") ?? defaultSort;
  const chosen = useMemo(() => pick(params, keys), [params, keys]);

  const clear = useCallback(
    () => change(Object.fromEntries(["q", ...keys].map((key) => [key, null]))),
    [change, keys],
  );
  return { q, sort, filters: chosen, isNarrowed: q !== "" || Object.keys(chosen).length > 0, change, clear };
}

export function filterKeys(filter: ListFilter): string[] {
  return filter.kind === "dates" ? [filter.sinceKey, filter.untilKey] : [filter.key];
}

function pick(params: URLSearchParams, keys: string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const key of keys) {
    const value = params.get(key);
    if (value) found[key] = value;
  }
  return found;
}
