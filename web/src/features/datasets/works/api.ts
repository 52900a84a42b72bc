/** Calls about long work on a version: imports, exports, preprocessing and scans. */
import { api, unwrap } from "@/api/client";
import type { ListQuery } from "@/ui/list/types";
import { atVersion } from "../api";
import type { DatasetVersionRef, ExportCreate, ImportCreate, ScanCreate, SetAside, Steps } from "../types";

const VERSION = "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}";

type PageQuery = Omit<ListQuery, "filters" | "q" | "sort">;

export function listFormats() {
  return unwrap(api.GET("/api/v1/dataset-formats"));
}

export function sampleAddress(format: string): string {
  return `/api/v1/dataset-formats/${encodeURIComponent(format)}/sample`;
}

export function listImportFolder(project: string, path: string | null) {
  return unwrap(api.GET("/api/v1/projects/{project}/import-folders", { params: { path: { project }, query: { path: path ?? undefined } } }));
}

export function createImport(ref: DatasetVersionRef, body: ImportCreate, signal?: AbortSignal) {
  return unwrap(api.POST(`${VERSION}/imports`, { params: { path: atVersion(ref) }, body, signal }));
}

export function listImports(ref: DatasetVersionRef, { limit, cursor }: PageQuery) {
  return unwrap(api.GET(`${VERSION}/imports`, { params: { path: atVersion(ref), query: { limit, cursor } } }));
}

export function getImport(ref: DatasetVersionRef, work: string) {
  return unwrap(api.GET(`${VERSION}/imports/{work}`, { params: { path: { ...atVersion(ref), work } } }));
}

export function listImportNotes(ref: DatasetVersionRef, work: string, after: number) {
  return unwrap(api.GET(`${VERSION}/imports/{work}/notes`, { params: { path: { ...atVersion(ref), work }, query: { after } } }));
}

export function stopImport(ref: DatasetVersionRef, work: string) {
  return unwrap(api.POST(`${VERSION}/imports/{work}/stop`, { params: { path: { ...atVersion(ref), work } } }));
}

export function deleteImport(ref: DatasetVersionRef, work: string) {
  return unwrap(api.DELETE(`${VERSION}/imports/{work}`, { params: { path: { ...atVersion(ref), work } } }));
}

export function createExport(ref: DatasetVersionRef, body: ExportCreate) {
  return unwrap(api.POST(`${VERSION}/exports`, { params: { path: atVersion(ref) }, body }));
}

export function listExports(ref: DatasetVersionRef, { limit, cursor }: PageQuery) {
  return unwrap(api.GET(`${VERSION}/exports`, { params: { path: atVersion(ref), query: { limit, cursor } } }));
}

export function listExportNotes(ref: DatasetVersionRef, work: string, after: number) {
  return unwrap(api.GET(`${VERSION}/exports/{work}/notes`, { params: { path: { ...atVersion(ref), work }, query: { after } } }));
}

export function stopExport(ref: DatasetVersionRef, work: string) {
  return unwrap(api.POST(`${VERSION}/exports/{work}/stop`, { params: { path: { ...atVersion(ref), work } } }));
}

export function deleteExport(ref: DatasetVersionRef, work: string) {
  return unwrap(api.DELETE(`${VERSION}/exports/{work}`, { params: { path: { ...atVersion(ref), work } } }));
}

export function previewPreprocess(ref: DatasetVersionRef, steps: Steps) {
  return unwrap(api.POST(`${VERSION}/preprocess/preview`, { params: { path: atVersion(ref) }, body: { steps } }));
}

export function createPreprocess(ref: DatasetVersionRef, steps: Steps, note: string) {
  return unwrap(api.POST(`${VERSION}/preprocess`, { params: { path: atVersion(ref) }, body: { steps, note } }));
}

export function listPreprocesses(ref: DatasetVersionRef, { limit, cursor }: PageQuery) {
  return unwrap(api.GET(`${VERSION}/preprocess`, { params: { path: atVersion(ref), query: { limit, cursor } } }));
}

export function stopPreprocess(ref: DatasetVersionRef, work: string) {
  return unwrap(api.POST(`${VERSION}/preprocess/{work}/stop`, { params: { path: { ...atVersion(ref), work } } }));
}

export function createScan(ref: DatasetVersionRef, body: ScanCreate) {
  return unwrap(api.POST(`${VERSION}/scans`, { params: { path: atVersion(ref) }, body }));
}

export function listScans(ref: DatasetVersionRef, { limit, cursor }: PageQuery) {
  return unwrap(api.GET(`${VERSION}/scans`, { params: { path: atVersion(ref), query: { limit, cursor } } }));
}

export function listFound(ref: DatasetVersionRef, work: string, after: number) {
  return unwrap(api.GET(`${VERSION}/scans/{work}/found`, { params: { path: { ...atVersion(ref), work }, query: { after } } }));
}

export function setFoundAside(ref: DatasetVersionRef, work: string, body: SetAside) {
  return unwrap(api.POST(`${VERSION}/scans/{work}/set-aside`, { params: { path: { ...atVersion(ref), work } }, body }));
}

export function stopScan(ref: DatasetVersionRef, work: string) {
  return unwrap(api.POST(`${VERSION}/scans/{work}/stop`, { params: { path: { ...atVersion(ref), work } } }));
}

/** Items that were set aside take part again. */
export function bringBack(ref: DatasetVersionRef) {
  return unwrap(api.POST(`${VERSION}/bring-back`, { params: { path: atVersion(ref) }, body: {} }));
}

/** What changed since the version `older`. */
export function compareItems(ref: DatasetVersionRef, older: number, change: "added" | "removed" | "changed" | undefined, cursor?: string) {
  return unwrap(api.GET(`${VERSION}/compare`, { params: { path: atVersion(ref), query: { with: String(older), change, cursor, limit: 50 } } }));
}
