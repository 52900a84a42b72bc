/** Calls about online services. */
import { api, guardedFetch, unwrap } from "@/api/client";
import { ApiFailure } from "@/api/failure";
import type { ListQuery } from "@/ui/list/types";
import type { CanaryPut, Role, ServiceCreate, ServicePatch, ServiceState, TestAnswer, TrackPatch } from "./types";

export interface ServiceRef {
  project: string;
  service: string;
}

const ALL = "/api/v1/projects/{project}/services";
const ONE = "/api/v1/projects/{project}/services/{service}";

const at = ({ project, service }: ServiceRef) => ({ path: { project, service } });

export const listServices = (project: string, { filters, ...query }: ListQuery) =>
  unwrap(api.GET(ALL, { params: { path: { project }, query: { ...query, state: filters.state as ServiceState | undefined } } }));

export const createService = (project: string, body: ServiceCreate) => unwrap(api.POST(ALL, { params: { path: { project } }, body }));

export const getService = (ref: ServiceRef) => unwrap(api.GET(ONE, { params: at(ref) }));

export const updateService = (ref: ServiceRef, body: ServicePatch) => unwrap(api.PATCH(ONE, { params: at(ref), body }));

export const deleteService = (ref: ServiceRef, confirm: string) => unwrap(api.DELETE(ONE, { params: { ...at(ref), query: { confirm } } }));

export const stopService = (ref: ServiceRef) => unwrap(api.POST(`${ONE}/stop`, { params: at(ref) }));

export const startService = (ref: ServiceRef) => unwrap(api.POST(`${ONE}/start`, { params: at(ref) }));

export const restartService = (ref: ServiceRef, role?: Role) => unwrap(api.POST(`${ONE}/restart`, { params: { ...at(ref), query: { role } } }));

export const updateTrack = (ref: ServiceRef, role: Role, body: TrackPatch) => unwrap(api.PATCH(`${ONE}/tracks/{role}`, { params: { path: { ...at(ref).path, role } }, body }));

export const putCanary = (ref: ServiceRef, body: CanaryPut) => unwrap(api.PUT(`${ONE}/canary`, { params: at(ref), body }));

export const deleteCanary = (ref: ServiceRef) => unwrap(api.DELETE(`${ONE}/canary`, { params: at(ref) }));

export const setShare = (ref: ServiceRef, share: number) => unwrap(api.POST(`${ONE}/canary/share`, { params: at(ref), body: { share } }));

export const promoteCanary = (ref: ServiceRef) => unwrap(api.POST(`${ONE}/promote`, { params: at(ref) }));

export const listReplicas = (ref: ServiceRef, { limit, cursor, filters }: ListQuery) =>
  unwrap(api.GET(`${ONE}/replicas`, { params: { ...at(ref), query: { limit, cursor, ended: filters.ended === "true" } } }));

export const listDeployments = (ref: ServiceRef, query: { limit: number; cursor?: string }) => unwrap(api.GET(`${ONE}/deployments`, { params: { ...at(ref), query } }));

export const listServiceEvents = (ref: ServiceRef, query: { limit: number; cursor?: string }) => unwrap(api.GET(`${ONE}/events`, { params: { ...at(ref), query } }));

export const listKeys = (ref: ServiceRef, { limit, cursor }: ListQuery) => unwrap(api.GET(`${ONE}/keys`, { params: { ...at(ref), query: { limit, cursor } } }));

export const createKey = (ref: ServiceRef, body: { name: string; rate_per_s: number | null }) => unwrap(api.POST(`${ONE}/keys`, { params: at(ref), body }));

export const updateKey = (ref: ServiceRef, key: string, body: { name: string; rate_per_s: number | null }) => unwrap(api.PATCH(`${ONE}/keys/{key}`, { params: { path: { ...at(ref).path, key } }, body }));

export const deleteKey = (ref: ServiceRef, key: string) => unwrap(api.DELETE(`${ONE}/keys/{key}`, { params: { path: { ...at(ref).path, key } } }));

export const listAlerts = (ref: ServiceRef, query: { state?: "open" | "closed"; limit: number }) =>
  unwrap(api.GET(`${ALL}/alerts`, { params: { path: { project: ref.project }, query: { ...query, service: ref.service } } }));

export const readMetrics = (ref: ServiceRef, query: { since: string; replicas: boolean }) => unwrap(api.GET(`${ONE}/metrics`, { params: { ...at(ref), query } }));

export const startShadow = (ref: ServiceRef, percent: number) => unwrap(api.PUT(`${ONE}/shadow`, { params: at(ref), body: { percent } }));

export const stopShadow = (ref: ServiceRef) => unwrap(api.DELETE(`${ONE}/shadow`, { params: at(ref) }));

export const listShadows = (ref: ServiceRef, query: { limit: number; cursor?: string }) => unwrap(api.GET(`${ONE}/shadows`, { params: { ...at(ref), query } }));

export const readSnippets = (ref: ServiceRef) => unwrap(api.GET(`${ONE}/snippets`, { params: at(ref) }));

export interface TestRequest {
  method: "GET" | "POST";
  /** After the service's address, without a leading slash. */
  path: string;
  contentType: string | null;
  body: Blob | string | null;
}

/** One request through the gateway; what the service refuses is an answer, too: only what keeps us from asking it is an error. */
export async function tryService({ project, service }: ServiceRef, { method, path, contentType, body }: TestRequest, signal?: AbortSignal): Promise<TestAnswer> {
  const address = `/api/v1/projects/${encodeURIComponent(project)}/services/${encodeURIComponent(service)}/test/${path.replace(/^\/+/, "")}`;
  const response = await guardedFetch(new URL(address, window.location.origin).href, { method, headers: contentType ? { "Content-Type": contentType } : {}, body: method === "POST" ? body : null, signal });
  if (!response.ok) throw await ApiFailure.from(response);
  return (await response.json()) as TestAnswer;
}
