/** The recycle bin of a project. */
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";
import type { ListQuery } from "@/ui/list/types";

export type BinView = components["schemas"]["BinView"];
type BinKind = BinView["kind"];

const BIN = "/api/v1/projects/{project}/bin";

export const BIN_KINDS: BinKind[] = ["dataset", "dataset_version", "algorithm", "algorithm_version", "model", "model_version"];
export const binKey = (project: string) => ["bin", project] as const;

export function listBin(project: string, { filters, ...query }: ListQuery) {
  return unwrap(api.GET(BIN, { params: { path: { project }, query: { ...query, kind: filters.kind as BinKind | undefined } } }));
}

export function restoreEntry(project: string, entry: string, name?: string) {
  return unwrap(api.POST(`${BIN}/{entry}/restore`, { params: { path: { project, entry } }, body: { name } }));
}

export function purgeEntry(project: string, entry: string) {
  return unwrap(api.DELETE(`${BIN}/{entry}`, { params: { path: { project, entry } } }));
}

/** Answers with the background work that does it. */
export function emptyBin(project: string) {
  return unwrap(api.POST(`${BIN}/empty`, { params: { path: { project } } }));
}
