/** The catalogue is short and read whole: it is searched, narrowed and ordered here. */
import type { ListQuery } from "@/ui/list/types";
import type { CatalogueEntry } from "./types";

export type Size = "small" | "middle" | "large";

const MIB = 1024 * 1024;
const SMALL = 10 * MIB;
const MIDDLE = 50 * MIB;

export function sizeOf({ size_bytes }: Pick<CatalogueEntry, "size_bytes">): Size {
  return size_bytes <= SMALL ? "small" : size_bytes <= MIDDLE ? "middle" : "large";
}

export function narrowed(entries: readonly CatalogueEntry[], { q, sort, filters }: Pick<ListQuery, "q" | "sort" | "filters">): CatalogueEntry[] {
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(
    (entry) =>
      (!filters.task || entry.task === filters.task) &&
      (!filters.licence || entry.licence === filters.licence) &&
      (!filters.state || entry.state === filters.state) &&
      (!filters.size || sizeOf(entry) === filters.size) &&
      words.every((word) => textOf(entry).includes(word)),
  );
  return ordered(found, sort);
}

function textOf({ name, title, description, labels }: CatalogueEntry): string {
  return [name, title, description, ...labels].join("\n").toLowerCase();
}

function ordered(entries: CatalogueEntry[], sort: string | undefined): CatalogueEntry[] {
  const key = sort?.replace(/^-/, "");
  const turn = sort?.startsWith("-") ? -1 : 1;
  if (key === "size_bytes") return entries.toSorted((a, b) => turn * (a.size_bytes - b.size_bytes));
  if (key === "name") return entries.toSorted((a, b) => turn * a.title.localeCompare(b.title));
  return entries;
}

export function licencesOf(entries: readonly CatalogueEntry[]): string[] {
  return [...new Set(entries.map((entry) => entry.licence))].sort();
}
