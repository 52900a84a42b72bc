/** Calls about workloads. */
import { api, unwrap } from "@/api/client";
import type { ListQuery } from "@/ui/list/types";
import type { WorkloadRef, WorkloadState } from "./types";

const ALL = "/api/v1/projects/{project}/workloads";
const ONE = "/api/v1/projects/{project}/workloads/{workload}";

const at = ({ project, id }: WorkloadRef) => ({ project, workload: id });

export function listWorkloads(project: string, { filters, ...query }: ListQuery) {
  const narrowed = { ...query, kind: filters.kind, state: filters.state ? [filters.state as WorkloadState] : undefined, mine: filters.mine === "true" };
  return unwrap(api.GET(ALL, { params: { path: { project }, query: narrowed } }));
}

export const getWorkload = (ref: WorkloadRef) => unwrap(api.GET(ONE, { params: { path: at(ref) } }));

export const stopWorkload = (ref: WorkloadRef) => unwrap(api.POST(`${ONE}/stop`, { params: { path: at(ref) } }));

export const listEvents = (ref: WorkloadRef) => unwrap(api.GET(`${ONE}/events`, { params: { path: at(ref), query: { limit: 200 } } }));

export const getWaiting = (ref: WorkloadRef) => unwrap(api.GET(`${ONE}/waiting`, { params: { path: at(ref) } }));

export function readLogs(ref: WorkloadRef, query: { node: number; attempt?: number; offset: number; limit: number }, signal?: AbortSignal) {
  return unwrap(api.GET(`${ONE}/logs`, { params: { path: at(ref), query }, signal }));
}

export interface LogSearch {
  node: number;
  attempt?: number;
  q?: string;
  since?: string;
  until?: string;
  limit?: number;
  cursor?: string;
}

export function searchLogs(ref: WorkloadRef, query: LogSearch, signal?: AbortSignal) {
  return unwrap(api.GET(`${ONE}/logs/search`, { params: { path: at(ref), query }, signal }));
}

export function readUsage(ref: WorkloadRef, query: { node: number; attempt?: number; since?: string; points: number }) {
  return unwrap(api.GET(`${ONE}/usage`, { params: { path: at(ref), query } }));
}

/** Addresses for what the browser reads by itself. */
export function logStreamAddress(ref: WorkloadRef, node: number, offset: number): string {
  return `${address(ref)}/logs/stream?${new URLSearchParams({ node: String(node), offset: String(offset) })}`;
}

export function logDownloadAddress(ref: WorkloadRef, node: number, attempt: number | null): string {
  return `${address(ref)}/logs/download?${new URLSearchParams({ node: String(node), ...(attempt === null ? {} : { attempt: String(attempt) }) })}`;
}

function address({ project, id }: WorkloadRef): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/workloads/${encodeURIComponent(id)}`;
}
