import { api, unwrap } from "@/api/client";
import type { ProjectView } from "@/api/types";
import type { ListLoader } from "@/ui/list/types";

export const projectsKey = ["projects"] as const;

/** Every project of the platform; with `deleted=true` those in the bin. */
export const loadAllProjects: ListLoader<ProjectView> = ({ q, sort, limit, cursor, filters }) =>
  unwrap(api.GET("/api/v1/projects", { params: { query: { q, sort, limit, cursor, all: true, deleted: filters.deleted === "true" || undefined } } }));

export const deleteProject = (project: string) => unwrap(api.DELETE("/api/v1/projects/{project}", { params: { path: { project } } }));
