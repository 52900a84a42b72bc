/** Calls about training tasks and runs. */
import { callJson } from "@/api/json";
import type { Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";
import type { MetricsView, RunFile, RunView, TaskBody, TaskView, TensorboardView } from "./types";

const project = (name: string) => `/api/v1/projects/${encodeURIComponent(name)}`;
const tasks = (name: string) => `${project(name)}/tasks`;
const runs = (name: string) => `${project(name)}/runs`;
const task = ({ project: name, task: id }: TaskRef) => `${tasks(name)}/${encodeURIComponent(id)}`;
const run = ({ project: name, run: id }: RunRef) => `${runs(name)}/${encodeURIComponent(id)}`;

export interface TaskRef {
  project: string;
  task: string;
}

export interface RunRef {
  project: string;
  run: string;
}

export const listTasks = (name: string, { q, sort, limit, cursor }: ListQuery) => callJson<Page<TaskView>>("GET", tasks(name), { query: { q, sort, limit, cursor } });
export const getTask = (ref: TaskRef) => callJson<TaskView>("GET", task(ref));
export const createTask = (name: string, body: TaskBody) => callJson<TaskView>("POST", tasks(name), { body });
export const updateTask = (ref: TaskRef, body: Partial<TaskBody>) => callJson<TaskView>("PATCH", task(ref), { body });
export const deleteTask = (ref: TaskRef) => callJson<undefined>("DELETE", task(ref));
export const copyTask = (ref: TaskRef, name: string) => callJson<TaskView>("POST", `${task(ref)}/copy`, { body: { name } });
export const startTask = (ref: TaskRef) => callJson<RunView>("POST", `${task(ref)}/start`, { body: {} });

export const listRuns = (name: string, { q, sort, limit, cursor, filters }: ListQuery) =>
  callJson<Page<RunView>>("GET", runs(name), { query: { q, sort, limit, cursor, task: filters.task, state: filters.state } });
export const getRun = (ref: RunRef) => callJson<RunView>("GET", run(ref));
export const deleteRun = (ref: RunRef) => callJson<undefined>("DELETE", run(ref));
export const stopRun = (ref: RunRef) => callJson<RunView>("POST", `${run(ref)}/stop`);
export const resumeRun = (ref: RunRef) => callJson<RunView>("POST", `${run(ref)}/resume`);

export const readMetrics = (ref: RunRef, points: number) => callJson<MetricsView>("GET", `${run(ref)}/metrics`, { query: { points } });

export const listFiles = (ref: RunRef, query: { path: string; cursor?: string; limit: number }) =>
  callJson<{ items: RunFile[]; next: string | null; total: number }>("GET", `${run(ref)}/files`, { query });
export const fileAddress = (ref: RunRef, path: string) => `${run(ref)}/files/${path.split("/").map(encodeURIComponent).join("/")}`;

export const openTensorboard = (ref: RunRef) => callJson<TensorboardView>("POST", `${run(ref)}/tensorboard`);
