/** The recycle bin of a project. */
import { call } from "@/features/assets/api";
import type { JobView, Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";

export const BIN_KINDS = ["algorithm", "algorithm_version", "model", "model_version"] as const;

export interface BinView {
  id: string; kind: (typeof BIN_KINDS)[number]; name: string; size_bytes: number; deleted_at: string; deleted_by: string; purge_at: string; created_at: string; created_by: string;
}
export interface Restored { kind: string; name: string; version: number | null; link: string }

export const binKey = (project: string) => ["bin", project] as const;
const address = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}/bin`;

export const listBin = (project: string, { filters, ...query }: ListQuery) => call<Page<BinView>>("GET", address(project), undefined, { ...query, kind: filters.kind });
export const restoreEntry = (project: string, id: string, name?: string) => call<Restored>("POST", `${address(project)}/${id}/restore`, { name });
export const purgeEntry = (project: string, id: string) => call<void>("DELETE", `${address(project)}/${id}`);
export const emptyBin = (project: string) => call<JobView>("POST", `${address(project)}/empty`);
