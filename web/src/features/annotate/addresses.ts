import { projectPath } from "../projects/current-project";
import type { ItemState } from "./model/types";
import type { ItemOrder } from "./session/api";
import { ALL } from "./session/item-list";
import type { Wanted } from "./session/item-list";

/** Which items the workbench goes through. */
export interface Shown {
  state?: ItemState;
  sort?: ItemOrder;
  /** These, in this order. */
  items?: readonly number[];
}

/** Address of the workbench: of a version, or of one of its items. */
export function annotatePath(project: string, dataset: string, version: number | string, item?: number, shown: Shown = {}): string {
  const path = projectPath(project, "datasets", dataset, "versions", String(version), "annotate");
  const query = new URLSearchParams([
    ...(item === undefined ? [] : [["item", String(item)]]),
    ...(shown.state ? [["state", shown.state]] : []),
    ...(shown.sort && shown.sort !== "seq" ? [["sort", shown.sort]] : []),
    ...(shown.items?.length ? [["items", shown.items.join(".")]] : []),
  ]).toString();
  return query ? `${path}?${query}` : path;
}

const STATES: readonly ItemState[] = ["unlabelled", "labelled", "suggested", "rework", "reviewed", "aside"];
const ORDERS: readonly ItemOrder[] = ["seq", "uncertainty", "surprise"];
/** More than these are not opened by number. */
const MOST = 200;

/** What the address asks for; what it does not say, or says wrongly, is everything in the order it came. */
export function wantedIn(query: URLSearchParams): Wanted {
  const state = STATES.find((one) => one === query.get("state"));
  const order = ORDERS.find((one) => one === query.get("sort")) ?? ALL.order;
  const numbers = (query.get("items") ?? "").split(".").map(Number).filter((seq) => Number.isSafeInteger(seq) && seq > 0);
  return { filter: state ? { state } : {}, order, only: numbers.length > 0 ? [...new Set(numbers)].slice(0, MOST) : null };
}

/** The address with what is shown now. */
export function withWanted(query: URLSearchParams, { filter, order, only }: Wanted, item: number): URLSearchParams {
  const next = new URLSearchParams(query);
  const put = (key: string, value: string | null | undefined) => (value ? next.set(key, value) : next.delete(key));
  put("item", String(item));
  put("state", filter.state);
  put("sort", order === "seq" ? null : order);
  put("items", only?.join("."));
  return next;
}
