/** Calls about batch inference: entries, their runs, and what runs found. */
import { api, unwrap } from "@/api/client";
import { address } from "@/api/json";
import type { ListQuery } from "@/ui/list/types";
import type { Download, Form, InferenceBody, InferenceRun, StartBody, WriteBackBody } from "./types";

export interface InferenceRef {
  project: string;
  inference: string;
}

export interface InferenceRunRef extends InferenceRef {
  run: string;
}

const ALL = "/api/v1/projects/{project}/inferences";
const ONE = "/api/v1/projects/{project}/inferences/{inference}";
const RUN = "/api/v1/projects/{project}/inferences/{inference}/runs/{run}";

export function listInferences(project: string, { filters, ...query }: ListQuery) {
  const chosen = {
    form: filters.form as Form | undefined,
    scene: filters.scene as InferenceBody["scene"],
    state: filters.state as InferenceRun["state"] | undefined,
    mine: filters.mine === "true",
  };
  return unwrap(api.GET(ALL, { params: { path: { project }, query: { ...query, ...chosen } } }));
}

export const getInference = (ref: InferenceRef) => unwrap(api.GET(ONE, { params: { path: { ...ref } } }));

export const createInference = (project: string, body: InferenceBody) => unwrap(api.POST(ALL, { params: { path: { project } }, body }));

export const updateInference = (ref: InferenceRef, body: InferenceBody) => unwrap(api.PATCH(ONE, { params: { path: { ...ref } }, body }));

export const deleteInference = (ref: InferenceRef) => unwrap(api.DELETE(ONE, { params: { path: { ...ref } } }));

export const copyInference = (ref: InferenceRef, name: string) => unwrap(api.POST(`${ONE}/copy`, { params: { path: { ...ref } }, body: { name } }));

export const startInference = (ref: InferenceRef, body: StartBody = {}) => unwrap(api.POST(`${ONE}/start`, { params: { path: { ...ref } }, body }));

export function listInferenceRuns(ref: InferenceRef, { filters, ...query }: ListQuery) {
  const state = filters.state as InferenceRun["state"] | undefined;
  return unwrap(api.GET(`${ONE}/runs`, { params: { path: { ...ref }, query: { ...query, state } } }));
}

export const getInferenceRun = (ref: InferenceRunRef) => unwrap(api.GET(RUN, { params: { path: { ...ref } } }));

export const deleteInferenceRun = (ref: InferenceRunRef) => unwrap(api.DELETE(RUN, { params: { path: { ...ref } } }));

export const stopInferenceRun = (ref: InferenceRunRef) => unwrap(api.POST(`${RUN}/stop`, { params: { path: { ...ref } } }));

export const resumeInferenceRun = (ref: InferenceRunRef) => unwrap(api.POST(`${RUN}/resume`, { params: { path: { ...ref } } }));

export interface ResultWish {
  label?: string;
  min_score?: number;
  max_score?: number;
  errors?: boolean;
  q?: string;
  sort?: "seq" | "-seq" | "score" | "-score";
}

export function listResults(ref: InferenceRunRef, query: ResultWish & { limit: number; cursor?: string }) {
  return unwrap(api.GET(`${RUN}/results`, { params: { path: { ...ref }, query } }));
}

export const getResult = (ref: InferenceRunRef, seq: number) => unwrap(api.GET(`${RUN}/results/{seq}`, { params: { path: { ...ref, seq } } }));

export function listInferenceFiles(ref: InferenceRunRef, query: { path: string; cursor?: string; limit: number }) {
  return unwrap(api.GET(`${RUN}/files`, { params: { path: { ...ref }, query } }));
}

export const createWriteBack = (ref: InferenceRunRef, body: WriteBackBody) => unwrap(api.POST(`${RUN}/write-backs`, { params: { path: { ...ref } }, body }));

/** Which labels of the dataset the labels that were found seem to mean; nothing is written. */
export const suggestMapping = (ref: InferenceRunRef, body: Pick<WriteBackBody, "form" | "dataset">) => unwrap(api.POST(`${RUN}/write-backs/mapping`, { params: { path: { ...ref } }, body }));

export const listWriteBacks = (ref: InferenceRunRef) => unwrap(api.GET(`${RUN}/write-backs`, { params: { path: { ...ref }, query: { limit: 50 } } }));

/** Where the browser gets a file of the run's workspace by itself. */
export function inferenceFileAddress(ref: InferenceRunRef, path: string): string {
  return [runApi(ref), "files", ...path.split("/").map(encodeURIComponent)].join("/");
}

/** Where the browser gets everything that was found, as one file. */
export function resultsAddress(ref: InferenceRunRef, format: Download, threshold?: number): string {
  return address(`${runApi(ref)}/download`, { format, threshold });
}

function runApi({ project, inference, run }: InferenceRunRef): string {
  return `/api/v1/${["projects", project, "inferences", inference, "runs", run].map(encodeURIComponent).join("/")}`;
}

/** Services of the project, to choose one from. */
export function findServices(project: string, q: string) {
  return unwrap(api.GET("/api/v1/projects/{project}/services", { params: { path: { project }, query: { q: q || undefined, limit: 30 } } }));
}
