/** Calls about the loop of a dataset. */
import { callJson } from "@/api/json";
import type { Page } from "@/api/types";
import type { AutoView } from "@/features/auto/types";
import type { DatasetRef } from "@/features/datasets/types";
import type { Loop, RetrainBody, Round } from "./types";

const loopApi = ({ project, dataset }: DatasetRef) => `/api/v1/projects/${encodeURIComponent(project)}/datasets/${encodeURIComponent(dataset)}/loop`;

export function getLoop(ref: DatasetRef): Promise<Loop> {
  return callJson("GET", loopApi(ref));
}

/** Publishes the draft, begins a new one from it, trains, and annotates the new draft where that was wanted. */
export function retrain(ref: DatasetRef, body: RetrainBody): Promise<Round> {
  return callJson("POST", `${loopApi(ref)}/retrain`, { body });
}

/** The newest model looks at the draft. */
export function annotateDraft(ref: DatasetRef, threshold: number): Promise<AutoView> {
  return callJson("POST", `${loopApi(ref)}/auto`, { body: { threshold } });
}

export function listRounds(ref: DatasetRef, page: { limit: number; cursor?: string }): Promise<Page<Round>> {
  return callJson("GET", `${loopApi(ref)}/rounds`, { query: page });
}

export function stopRound(ref: DatasetRef, round: string): Promise<Round> {
  return callJson("POST", `${loopApi(ref)}/rounds/${round}/stop`);
}
