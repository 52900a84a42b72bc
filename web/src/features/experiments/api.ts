/** Calls about experiments and what was logged to their runs. */
import { api, unwrap } from "@/api/client";
import type { ListQuery } from "@/ui/list/types";
import { filterOf, orderOf } from "./search";

const ALL = "/api/v1/projects/{project}/experiments";
const ONE = "/api/v1/projects/{project}/experiments/{experiment}";

export interface ExperimentRef {
  project: string;
  experiment: string;
}

export function listExperiments(project: string, { q, sort, limit, cursor, filters }: ListQuery) {
  return unwrap(api.GET(ALL, { params: { path: { project }, query: { q, sort, limit, cursor, deleted: filters.deleted === "true" } } }));
}

export const createExperiment = (project: string, body: { name: string; description: string }) => unwrap(api.POST(ALL, { params: { path: { project } }, body: { ...body, tags: {} } }));

export const getExperiment = (ref: ExperimentRef) => unwrap(api.GET(ONE, { params: { path: { ...ref } } }));

export const updateExperiment = (ref: ExperimentRef, body: { name?: string; description?: string }) => unwrap(api.PATCH(ONE, { params: { path: { ...ref } }, body }));

export const deleteExperiment = (ref: ExperimentRef) => unwrap(api.DELETE(ONE, { params: { path: { ...ref } } }));

export const restoreExperiment = (ref: ExperimentRef) => unwrap(api.POST(`${ONE}/restore`, { params: { path: { ...ref } } }));

export const listKeys = (ref: ExperimentRef) => unwrap(api.GET(`${ONE}/keys`, { params: { path: { ...ref } } }));

export function listExperimentRuns(ref: ExperimentRef, { q, sort, limit, cursor, filters }: ListQuery) {
  const query = { filter: filterOf(q, filters), order_by: orderOf(sort), as_numbers: true, limit, cursor };
  return unwrap(api.GET(`${ONE}/runs`, { params: { path: { ...ref }, query } }));
}

export const putRunAway = (project: string, run: string) => unwrap(api.POST("/api/v1/projects/{project}/runs/{run}/put-away", { params: { path: { project, run } } }));

export function listLoggedFiles(ref: { project: string; run: string }, query: { path: string; cursor?: string; limit: number }) {
  return unwrap(api.GET("/api/v1/projects/{project}/runs/{run}/logged", { params: { path: { ...ref }, query } }));
}

/** Where the browser gets a file by itself. */
export function loggedAddress({ project, run }: { project: string; run: string }, path: string): string {
  const parts = ["projects", project, "runs", run, "logged", ...path.split("/")];
  return `/api/v1/${parts.map(encodeURIComponent).join("/")}`;
}
