/** Calls about auto-annotation: works, suggestions and likely label errors. */
import { callJson } from "@/api/json";
import type { Page } from "@/api/types";
import { versionApi } from "@/features/datasets/addresses";
import type { Chosen } from "@/features/datasets/api";
import type { DatasetVersionRef, NoteView } from "@/features/datasets/types";
import type { AutoCreate, AutoView, Decided, ErrorKind, LabelError, MappingView, Source, SuggestionsSummary } from "./types";

/** The model's labels beside ours; reads only. */
export function readMapping(of: DatasetVersionRef, source: Source, signal?: AbortSignal): Promise<MappingView> {
  return callJson("POST", `${versionApi(of)}/auto/mapping`, { body: { source }, signal });
}

export function createAuto(of: DatasetVersionRef, body: AutoCreate): Promise<AutoView> {
  return callJson("POST", `${versionApi(of)}/auto`, { body });
}

export function listAutos(of: DatasetVersionRef, page: { limit: number; cursor?: string }): Promise<Page<AutoView>> {
  return callJson("GET", `${versionApi(of)}/auto`, { query: page });
}

export function listAutoNotes(of: DatasetVersionRef, work: string, after: number): Promise<{ items: NoteView[]; next?: number | null }> {
  return callJson("GET", `${versionApi(of)}/auto/${work}/notes`, { query: { after } });
}

export function stopAuto(of: DatasetVersionRef, work: string): Promise<AutoView> {
  return callJson("POST", `${versionApi(of)}/auto/${work}/stop`);
}

export function deleteAuto(of: DatasetVersionRef, work: string): Promise<void> {
  return callJson("DELETE", `${versionApi(of)}/auto/${work}`);
}

export function getSummary(of: DatasetVersionRef): Promise<SuggestionsSummary> {
  return callJson("GET", `${versionApi(of)}/suggestions/summary`);
}

/** Items with something below the threshold stay as they are, or lose that and are accepted without it. */
export function acceptSuggestions(of: DatasetVersionRef, chosen: Chosen, threshold: number | null, below: "leave" | "drop"): Promise<Decided> {
  return callJson("POST", `${versionApi(of)}/suggestions/accept`, { body: { ...chosen, ...(threshold === null ? {} : { threshold, below }) } });
}

/** All suggestions, or only those below the threshold. */
export function rejectSuggestions(of: DatasetVersionRef, chosen: Chosen, threshold: number | null): Promise<Decided> {
  return callJson("POST", `${versionApi(of)}/suggestions/reject`, { body: { ...chosen, ...(threshold === null ? {} : { threshold }) } });
}

/** Takes a whole accept or reject back, where nobody has changed the item since. */
export function undoDecision(of: DatasetVersionRef, action: string): Promise<{ changed: number; job: string | null }> {
  return callJson("POST", `${versionApi(of)}/suggestions/undo`, { body: { action } });
}

export function listLabelErrors(of: DatasetVersionRef, query: { kind?: ErrorKind; cursor?: string; limit: number }): Promise<Page<LabelError>> {
  return callJson("GET", `${versionApi(of)}/label-errors`, { query });
}

/** They are fine as they are. */
export function dismissLabelErrors(of: DatasetVersionRef, seqs: number[]): Promise<{ changed: number }> {
  return callJson("POST", `${versionApi(of)}/label-errors/dismiss`, { body: { seqs } });
}
