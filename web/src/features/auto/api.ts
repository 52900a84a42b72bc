/** Calls about auto-annotation: works, suggestions and likely label errors. */
import { api, unwrap } from "@/api/client";
import { atVersion } from "@/features/datasets/api";
import type { Chosen } from "@/features/datasets/api";
import type { DatasetVersionRef } from "@/features/datasets/types";
import type { AutoCreate, ErrorKind, Source } from "./types";

const VERSION = "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}";

/** The model's labels beside ours; reads only. */
export function readMapping(of: DatasetVersionRef, source: Source, signal?: AbortSignal) {
  return unwrap(api.POST(`${VERSION}/auto/mapping`, { params: { path: atVersion(of) }, body: { source }, signal }));
}

export function createAuto(of: DatasetVersionRef, body: AutoCreate) {
  return unwrap(api.POST(`${VERSION}/auto`, { params: { path: atVersion(of) }, body }));
}

export function listAutos(of: DatasetVersionRef, query: { limit: number; cursor?: string }) {
  return unwrap(api.GET(`${VERSION}/auto`, { params: { path: atVersion(of), query } }));
}

export function listAutoNotes(of: DatasetVersionRef, work: string, after: number) {
  return unwrap(api.GET(`${VERSION}/auto/{work}/notes`, { params: { path: { ...atVersion(of), work }, query: { after } } }));
}

export function stopAuto(of: DatasetVersionRef, work: string) {
  return unwrap(api.POST(`${VERSION}/auto/{work}/stop`, { params: { path: { ...atVersion(of), work } } }));
}

export function deleteAuto(of: DatasetVersionRef, work: string) {
  return unwrap(api.DELETE(`${VERSION}/auto/{work}`, { params: { path: { ...atVersion(of), work } } }));
}

export function getSummary(of: DatasetVersionRef) {
  return unwrap(api.GET(`${VERSION}/suggestions/summary`, { params: { path: atVersion(of) } }));
}

/** Items with something below the threshold stay as they are, or lose that and are accepted without it. */
export function acceptSuggestions(of: DatasetVersionRef, chosen: Chosen, threshold: number | null, below: "leave" | "drop") {
  return unwrap(api.POST(`${VERSION}/suggestions/accept`, { params: { path: atVersion(of) }, body: { ...chosen, threshold, below } }));
}

/** All suggestions, or only those below the threshold. */
export function rejectSuggestions(of: DatasetVersionRef, chosen: Chosen, threshold: number | null) {
  return unwrap(api.POST(`${VERSION}/suggestions/reject`, { params: { path: atVersion(of) }, body: { ...chosen, threshold } }));
}

/** Takes a whole accept or reject back, where nobody has changed the item since. */
export function undoDecision(of: DatasetVersionRef, action: string) {
  return unwrap(api.POST(`${VERSION}/suggestions/undo`, { params: { path: atVersion(of) }, body: { action } }));
}

export function listLabelErrors(of: DatasetVersionRef, query: { kind?: ErrorKind; cursor?: string; limit: number }) {
  return unwrap(api.GET(`${VERSION}/label-errors`, { params: { path: atVersion(of), query } }));
}

/** They are fine as they are. */
export function dismissLabelErrors(of: DatasetVersionRef, seqs: number[]) {
  return unwrap(api.POST(`${VERSION}/label-errors/dismiss`, { params: { path: atVersion(of) }, body: { seqs } }));
}
