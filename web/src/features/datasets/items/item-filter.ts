/** What the list of items is narrowed by, kept in the address. */
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { withChanges } from "@/ui/list/list-state";
import { isItemState } from "../data-types";
import type { ItemFilter } from "../types";

const KEYS = ["state", "label", "annotator", "owner", "q"] as const;

export function filterIn(params: URLSearchParams): ItemFilter {
  const state = params.get("state");
  const label = Number(params.get("label") ?? "");
  return {
    ...(isItemState(state) ? { state } : {}),
    ...(Number.isSafeInteger(label) && label > 0 ? { label } : {}),
    ...Object.fromEntries((["annotator", "owner", "q"] as const).flatMap((key) => (params.get(key) ? [[key, params.get(key)]] : []))),
  };
}

export function useItemFilter() {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => filterIn(params), [params]);
  return {
    filter,
    isNarrowed: Object.keys(filter).length > 0,
    change: (changes: Partial<Record<(typeof KEYS)[number], string | null>>) => setParams((old) => withChanges(old, changes), { replace: true }),
    clear: () => setParams((old) => withChanges(old, Object.fromEntries(KEYS.map((key) => [key, null]))), { replace: true }),
  };
}
