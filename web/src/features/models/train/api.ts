/** Calls about training from a dataset version. */
import { api, unwrap } from "@/api/client";
import type { DatasetVersionRef } from "@/features/datasets/types";
import type { TrainStart } from "./types";

const VERSION = "/api/v1/projects/{project}/datasets/{dataset}/versions/{version}";

const at = ({ project, dataset, version }: DatasetVersionRef) => ({ project, dataset, version: String(version) });

/** What one wants otherwise than it would be chosen. */
export interface Wishes {
  algorithm?: string;
  /** Empty: from scratch. */
  model?: string;
  spec?: string;
  time_budget_s?: number;
}

export const getPlan = (ref: DatasetVersionRef, query: Wishes) => unwrap(api.GET(`${VERSION}/training-plan`, { params: { path: at(ref), query } }));

export const startTraining = (ref: DatasetVersionRef, body: TrainStart) => unwrap(api.POST(`${VERSION}/train`, { params: { path: at(ref) }, body }));

export const getRunTraining = (project: string, run: string) => unwrap(api.GET("/api/v1/projects/{project}/runs/{run}/training", { params: { path: { project, run } } }));
