/** Reading services: pushed news of their replicas bring them up to date, and what moves is asked for often. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { workloadsKey } from "@/features/workloads/queries";
import { getService, listAlerts, listDeployments, listServiceEvents, listShadows, readSnippets } from "./api";
import type { ServiceRef } from "./api";
import { isMoving } from "./states";
import type { DeploySource } from "./types";

const MOVING_MS = 1_500;
const CALM_MS = 5_000;

export const servicesKey = (project: string) => [...workloadsKey, "lists", "services", project] as const;
export const serviceKey = (ref: ServiceRef) => [...servicesKey(ref.project), "one", ref.service] as const;

export const serviceQuery = (ref: ServiceRef) =>
  queryOptions({
    queryKey: [...serviceKey(ref), "view"],
    queryFn: () => getService(ref),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.state) ? MOVING_MS : CALM_MS),
  });

export const serviceEventsQuery = (ref: ServiceRef, limit: number) =>
  queryOptions({ queryKey: [...serviceKey(ref), "events", limit], queryFn: () => listServiceEvents(ref, { limit }), refetchInterval: CALM_MS });

export const deploymentsQuery = (ref: ServiceRef) => queryOptions({ queryKey: [...serviceKey(ref), "deployments"], queryFn: () => listDeployments(ref, { limit: 50 }) });

export const openAlertsQuery = (ref: ServiceRef) =>
  queryOptions({ queryKey: [...serviceKey(ref), "alerts", "open"], queryFn: () => listAlerts(ref, { state: "open", limit: 20 }), refetchInterval: CALM_MS });

export const alertsQuery = (ref: ServiceRef) => queryOptions({ queryKey: [...serviceKey(ref), "alerts", "all"], queryFn: () => listAlerts(ref, { limit: 50 }), refetchInterval: CALM_MS });

export const shadowsQuery = (ref: ServiceRef) => queryOptions({ queryKey: [...serviceKey(ref), "shadows"], queryFn: () => listShadows(ref, { limit: 20 }), refetchInterval: CALM_MS });

export const snippetsQuery = (ref: ServiceRef) => queryOptions({ queryKey: [...serviceKey(ref), "snippets"], queryFn: () => readSnippets(ref) });

export const servicesPath = (project: string) => projectPath(project, "services");
export const servicePath = (ref: ServiceRef) => projectPath(ref.project, "services", ref.service);
/** Where a service is made, with what is to be behind it chosen already. */
export const deployPath = (project: string, source?: DeploySource) => `${projectPath(project, "services", "new")}${source ? `?${new URLSearchParams({ ...source })}` : ""}`;

export function useRefreshServices(project: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: servicesKey(project) });
}
