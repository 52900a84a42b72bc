/** Calls about datasets, their versions, items and labels. */
import { api, unwrap } from "@/api/client";
import type { ItemOrder } from "@/features/annotate/session/api";
import type { ListQuery } from "@/ui/list/types";
import type { AnnotationType, DatasetCreate, DatasetRef, DatasetVersionRef, DataType, ItemFilter, ItemState, LabelPatch, LabelPut } from "./types";

const ALL = "/api/v1/projects/{project}/datasets";
const ONE = "/api/v1/projects/{project}/datasets/{dataset}";
const VERSIONS = "/api/v1/projects/{project}/datasets/{dataset}/versions";
const VERSION = "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}";

const atDataset = ({ project, dataset }: DatasetRef) => ({ project, dataset });
export const atVersion = ({ project, dataset, version }: DatasetVersionRef) => ({ project, dataset, version: String(version) });

export function listDatasets(project: string, { filters, ...query }: ListQuery) {
  const narrowed = {
    ...query,
    data_type: filters.data_type as DataType | undefined,
    annotation_type: filters.annotation_type as AnnotationType | undefined,
    mine: filters.mine === "true",
  };
  return unwrap(api.GET(ALL, { params: { path: { project }, query: narrowed } }));
}

export function createDataset(project: string, body: DatasetCreate) {
  return unwrap(api.POST(ALL, { params: { path: { project } }, body }));
}

export function getDataset(ref: DatasetRef) {
  return unwrap(api.GET(ONE, { params: { path: atDataset(ref) } }));
}

export function renameDataset(ref: DatasetRef, name: string) {
  return unwrap(api.PATCH(ONE, { params: { path: atDataset(ref) }, body: { name } }));
}

export function deleteDataset({ project, dataset }: DatasetRef) {
  return unwrap(api.DELETE("/api/v1/projects/{project}/{kind}/{asset}", { params: { path: { project, kind: "datasets", asset: dataset } } }));
}

export function listDatasetVersions(ref: DatasetRef, query: { limit: number; cursor?: string }) {
  return unwrap(api.GET(VERSIONS, { params: { path: atDataset(ref), query } }));
}

/** An empty draft. */
export function createDatasetVersion(ref: DatasetRef, note: string) {
  return unwrap(api.POST(VERSIONS, { params: { path: atDataset(ref) }, body: { note } }));
}

/** A draft with the items of this version; background work. */
export function copyDatasetVersion(ref: DatasetVersionRef, note: string) {
  return unwrap(api.POST(`${VERSION}/copy`, { params: { path: atVersion(ref) }, body: { note } }));
}

export function publishDatasetVersion(ref: DatasetVersionRef, note: string) {
  return unwrap(api.POST(`${VERSION}/publish`, { params: { path: atVersion(ref) }, body: { note } }));
}

export function getDatasetVersion(ref: DatasetVersionRef) {
  return unwrap(api.GET(VERSION, { params: { path: atVersion(ref) } }));
}

export function deleteDatasetVersion({ project, dataset, version }: DatasetVersionRef) {
  const path = { project, kind: "datasets" as const, asset: dataset, version: String(version) };
  return unwrap(api.DELETE("/api/v1/projects/{project}/{kind}/{asset}/versions/{version}", { params: { path } }));
}

export function getStatistics(ref: DatasetVersionRef) {
  return unwrap(api.GET(`${VERSION}/statistics`, { params: { path: atVersion(ref) } }));
}

export function listItems(ref: DatasetVersionRef, filter: ItemFilter, page: { limit: number; cursor?: string; sort?: ItemOrder }) {
  return unwrap(api.GET(`${VERSION}/items`, { params: { path: atVersion(ref), query: { ...given(filter), ...page, with: "annotations,doubt" } } }));
}

export function getItem(ref: DatasetVersionRef, seq: number) {
  return unwrap(api.GET(`${VERSION}/items/{seq}`, { params: { path: { ...atVersion(ref), seq } } }));
}

/** The item before or after, of those that the filter finds; null at an end. */
export function getNeighbour(ref: DatasetVersionRef, filter: ItemFilter, after: number, back: boolean) {
  return unwrap(api.GET(`${VERSION}/items/next`, { params: { path: atVersion(ref), query: { ...given(filter), after, back } } }));
}

export function listHistory(ref: DatasetVersionRef, seq: number, before?: number) {
  return unwrap(api.GET(`${VERSION}/items/{seq}/history`, { params: { path: { ...atVersion(ref), seq }, query: { before, limit: 20, with: "annotations" } } }));
}

export function restoreRevision(ref: DatasetVersionRef, seq: number, revision: number, base: number | null) {
  return unwrap(api.POST(`${VERSION}/items/{seq}/restore`, { params: { path: { ...atVersion(ref), seq } }, body: { revision, base } }));
}

/** Items by their numbers, or all that a filter finds. */
export type Chosen = { seqs: number[] } | { filter: ItemFilter };

export function changeStates(ref: DatasetVersionRef, chosen: Chosen, state: ItemState) {
  return unwrap(api.POST(`${VERSION}/items/state`, { params: { path: atVersion(ref) }, body: { ...chosen, state } }));
}

export function changeOwners(ref: DatasetVersionRef, chosen: Chosen, owner: string | null) {
  return unwrap(api.POST(`${VERSION}/items/owner`, { params: { path: atVersion(ref) }, body: { ...chosen, owner } }));
}

export function deleteItems(ref: DatasetVersionRef, chosen: Chosen) {
  return unwrap(api.POST(`${VERSION}/items/delete`, { params: { path: atVersion(ref) }, body: chosen }));
}

export function listLabels(ref: DatasetVersionRef) {
  return unwrap(api.GET(`${VERSION}/labels`, { params: { path: atVersion(ref) } }));
}

/** One label alone: the whole list would undo what somebody else does to it meanwhile. */
export function updateLabel(ref: DatasetVersionRef, number: number, patch: LabelPatch) {
  return unwrap(api.PATCH(`${VERSION}/labels/{number}`, { params: { path: { ...atVersion(ref), number } }, body: patch }));
}

export function addLabels(ref: DatasetVersionRef, labels: LabelPut[]) {
  return unwrap(api.POST(`${VERSION}/labels`, { params: { path: atVersion(ref) }, body: { labels } }));
}

export function deleteLabel(ref: DatasetVersionRef, number: number) {
  return unwrap(api.DELETE(`${VERSION}/labels/{number}`, { params: { path: { ...atVersion(ref), number } } }));
}

/** Without what is not asked for: an empty word would be looked for. */
function given(filter: ItemFilter): ItemFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== null && value !== ""));
}
