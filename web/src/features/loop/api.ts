/** Calls about the loop of a dataset. */
import { api, unwrap } from "@/api/client";
import type { DatasetRef } from "@/features/datasets/types";
import type { RetrainStart } from "./types";

const LOOP = "/api/v1/projects/{project}/datasets/{dataset}/loop";
const at = ({ project, dataset }: DatasetRef) => ({ project, dataset });

export function getLoop(ref: DatasetRef) {
  return unwrap(api.GET(LOOP, { params: { path: at(ref) } }));
}

/** Publishes the draft, begins a new one from it, trains, and annotates the new draft where that was wanted. */
export function retrain(ref: DatasetRef, body: RetrainStart) {
  return unwrap(api.POST(`${LOOP}/retrain`, { params: { path: at(ref) }, body }));
}

/** The newest model looks at the draft. */
export function annotateDraft(ref: DatasetRef, threshold: number) {
  return unwrap(api.POST(`${LOOP}/auto`, { params: { path: at(ref) }, body: { threshold } }));
}

export function listRounds(ref: DatasetRef, query: { limit: number; cursor?: string }) {
  return unwrap(api.GET(`${LOOP}/rounds`, { params: { path: at(ref), query } }));
}

/** What can train for the task: the project's own algorithms and public ones. */
export function listAlgorithms(project: string, task: string) {
  return unwrap(api.GET("/api/v1/projects/{project}/manifests", { params: { path: { project }, query: { task } } }));
}

export function stopRound(ref: DatasetRef, round: string) {
  return unwrap(api.POST(`${LOOP}/rounds/{round}/stop`, { params: { path: { ...at(ref), round } } }));
}
