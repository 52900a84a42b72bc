/** Calls about workloads. */
import { address, callJson } from "@/api/json";
import type { Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";
import type { LogLine, LogPiece, UsageView, WaitingDetail, WorkloadEvent, WorkloadRef, WorkloadView } from "./types";

const base = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}/workloads`;
const one = ({ project, id }: WorkloadRef) => `${base(project)}/${encodeURIComponent(id)}`;

export const listWorkloads = (project: string, { filters, ...query }: ListQuery) => callJson<Page<WorkloadView>>("GET", base(project), { query: { ...query, kind: filters.kind, state: filters.state } });

export const getWorkload = (ref: WorkloadRef) => callJson<WorkloadView>("GET", one(ref));

export const stopWorkload = (ref: WorkloadRef) => callJson<WorkloadView>("POST", `${one(ref)}/stop`);

export const listEvents = (ref: WorkloadRef) => callJson<Page<WorkloadEvent>>("GET", `${one(ref)}/events`, { query: { limit: 200 } });

export const getWaiting = (ref: WorkloadRef) => callJson<WaitingDetail | null>("GET", `${one(ref)}/waiting`);

export const readLogs = (ref: WorkloadRef, query: { node: number; offset: number; limit: number }, signal?: AbortSignal) =>
  callJson<LogPiece>("GET", `${one(ref)}/logs`, { query, signal });

export interface LogSearch {
  node: number;
  q?: string;
  since?: string;
  until?: string;
  limit?: number;
  cursor?: string;
}

export const searchLogs = (ref: WorkloadRef, query: LogSearch, signal?: AbortSignal) =>
  callJson<{ items: LogLine[]; next?: string | null }>("GET", `${one(ref)}/logs/search`, { query: { ...query }, signal });

export const logStreamAddress = (ref: WorkloadRef, node: number, offset: number) => address(`${one(ref)}/logs/stream`, { node, offset });

export const logDownloadAddress = (ref: WorkloadRef, node: number) => address(`${one(ref)}/logs/download`, { node });

export const readUsage = (ref: WorkloadRef, query: { node: number; since?: string; points: number }) => callJson<UsageView>("GET", `${one(ref)}/usage`, { query });
