/** Calls about training tasks and runs. */
import { api, unwrap } from "@/api/client";
import type { ListQuery } from "@/ui/list/types";
import type { StartBody } from "./start-values";
import type { RunView, TaskBody } from "./types";

export interface TaskRef {
  project: string;
  task: string;
}

export interface RunRef {
  project: string;
  run: string;
}

const TASKS = "/api/v1/projects/{project}/tasks";
const TASK = "/api/v1/projects/{project}/tasks/{task}";
const RUNS = "/api/v1/projects/{project}/runs";
const RUN = "/api/v1/projects/{project}/runs/{run}";

export function listTasks(project: string, { filters, ...query }: ListQuery) {
  return unwrap(api.GET(TASKS, { params: { path: { project }, query: { ...query, mine: filters.mine === "true" } } }));
}

export const getTask = (ref: TaskRef) => unwrap(api.GET(TASK, { params: { path: { ...ref } } }));

export const createTask = (project: string, body: TaskBody) => unwrap(api.POST(TASKS, { params: { path: { project } }, body }));

export const updateTask = (ref: TaskRef, body: TaskBody) => unwrap(api.PATCH(TASK, { params: { path: { ...ref } }, body }));

export const deleteTask = (ref: TaskRef) => unwrap(api.DELETE(TASK, { params: { path: { ...ref } } }));

export const copyTask = (ref: TaskRef, name: string) => unwrap(api.POST(`${TASK}/copy`, { params: { path: { ...ref } }, body: { name } }));

export const startTask = (ref: TaskRef, body: StartBody = {}) => unwrap(api.POST(`${TASK}/start`, { params: { path: { ...ref } }, body }));

export function listRuns(project: string, { q, sort, limit, cursor, filters }: ListQuery) {
  const query = { q, sort, limit, cursor, task: filters.task, state: filters.state as RunView["state"] | undefined };
  return unwrap(api.GET(RUNS, { params: { path: { project }, query } }));
}

export const getRun = (ref: RunRef) => unwrap(api.GET(RUN, { params: { path: { ...ref } } }));

export const deleteRun = (ref: RunRef) => unwrap(api.DELETE(RUN, { params: { path: { ...ref } } }));

export const stopRun = (ref: RunRef) => unwrap(api.POST(`${RUN}/stop`, { params: { path: { ...ref } } }));

export const resumeRun = (ref: RunRef) => unwrap(api.POST(`${RUN}/resume`, { params: { path: { ...ref } } }));

export const readMetrics = (ref: RunRef, points: number) => unwrap(api.GET(`${RUN}/metrics`, { params: { path: { ...ref }, query: { points } } }));

export const openTensorboard = (ref: RunRef) => unwrap(api.POST(`${RUN}/tensorboard`, { params: { path: { ...ref } } }));

export function listFiles(ref: RunRef, query: { path: string; cursor?: string; limit: number }) {
  return unwrap(api.GET(`${RUN}/files`, { params: { path: { ...ref }, query } }));
}

/** Where the browser gets a file by itself. */
export function fileAddress({ project, run }: RunRef, path: string): string {
  const parts = ["projects", project, "runs", run, "files", ...path.split("/")];
  return `/api/v1/${parts.map(encodeURIComponent).join("/")}`;
}
