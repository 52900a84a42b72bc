/** What the list of items is narrowed by, kept in the address. */
import { useMemo } from "react";
import { useAddress } from "@/ui/address";
import { isItemState } from "../data-types";
import type { ItemOrder } from "@/features/annotate/session/api";
import type { ItemFilter } from "../types";

const KEYS = ["state", "label", "annotator", "owner", "q", "sort"] as const;
/** As a model's doubts have it; else as they came. */
const ORDERS: readonly ItemOrder[] = ["uncertainty", "surprise"];

export function filterIn(params: URLSearchParams): ItemFilter {
  const state = params.get("state");
  const label = Number(params.get("label") ?? "");
  return {
    ...(isItemState(state) ? { state } : {}),
    ...(Number.isSafeInteger(label) && label > 0 ? { label } : {}),
    ...Object.fromEntries((["annotator", "owner", "q"] as const).flatMap((key) => (params.get(key) ? [[key, params.get(key)]] : []))),
  };
}

export function orderIn(params: URLSearchParams): ItemOrder {
  return ORDERS.find((order) => order === params.get("sort")) ?? "seq";
}

export function useItemFilter() {
  const [params, changeAddress] = useAddress();
  const filter = useMemo(() => filterIn(params), [params]);
  const order = orderIn(params);
  return {
    filter,
    order,
    isNarrowed: Object.keys(filter).length > 0 || order !== "seq",
    change: (changes: Partial<Record<(typeof KEYS)[number], string | null>>) => changeAddress(changes),
    clear: () => changeAddress(Object.fromEntries(KEYS.map((key) => [key, null]))),
  };
}
