/** The overview of the platform (null) or of a project. */
import { api, unwrap } from "@/api/client";

export function readOverview(project: string | null) {
  if (project === null) return unwrap(api.GET("/api/v1/overview"));
  return unwrap(api.GET("/api/v1/projects/{project}/overview", { params: { path: { project } } }));
}

export function readCurves(project: string | null, hours: number) {
  if (project === null) return unwrap(api.GET("/api/v1/overview/usage", { params: { query: { hours } } }));
  return unwrap(api.GET("/api/v1/projects/{project}/overview/usage", { params: { path: { project }, query: { hours } } }));
}

export const listMachines = () => unwrap(api.GET("/api/v1/machines"));
