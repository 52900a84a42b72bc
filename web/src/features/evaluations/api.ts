/** Calls about evaluations. */
import { api, unwrap } from "@/api/client";
import type { ListQuery } from "@/ui/list/types";
import type { EvaluationCreate, EvaluationRef, EvaluationState } from "./types";

const ALL = "/api/v1/projects/{project}/evaluations";
const ONE = "/api/v1/projects/{project}/evaluations/{evaluation}";

const at = ({ project, id }: EvaluationRef) => ({ project, evaluation: id });

export function listEvaluations(project: string, { sort, limit, cursor, filters }: ListQuery) {
  const query = { sort, limit, cursor, model: filters.model, dataset: filters.dataset, state: filters.state as EvaluationState | undefined };
  return unwrap(api.GET(ALL, { params: { path: { project }, query } }));
}

export const getEvaluation = (ref: EvaluationRef) => unwrap(api.GET(ONE, { params: { path: at(ref) } }));

export const createEvaluation = (project: string, body: EvaluationCreate) => unwrap(api.POST(ALL, { params: { path: { project } }, body }));

export const stopEvaluation = (ref: EvaluationRef) => unwrap(api.POST(`${ONE}/stop`, { params: { path: at(ref) } }));

export const deleteEvaluation = (ref: EvaluationRef) => unwrap(api.DELETE(ONE, { params: { path: at(ref) } }));

export const compareEvaluations = (project: string, ids: string[]) => unwrap(api.GET(`${ALL}/compare`, { params: { path: { project }, query: { ids } } }));

/** Where the browser gets what the model said of each item. */
export function predictionsAddress({ project, id }: EvaluationRef): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/evaluations/${encodeURIComponent(id)}/predictions`;
}
