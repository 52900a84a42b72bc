/** The project being looked at: the one in the address, else the last one looked at in this browser. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { api, unwrap } from "@/api/client";
import type { MeView } from "@/api/types";
import type { ProjectPermission } from "@/lib/permissions";
import { readSaved, save } from "@/lib/saved";
import { useMe } from "../session/me";

const LAST = "project";

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: ["projects", "one", project],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{project}", { params: { path: { project } } })),
    staleTime: 15_000,
  });

/** Address of a page of a project: `projectPath("lab", "members")`. */
export function projectPath(project: string, ...parts: string[]): string {
  return ["/p", project, ...parts].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join("/");
}

/** The project named in the address; only for pages under `/p/:project`. */
export function useProjectName(): string {
  const { project } = useParams();
  if (project === undefined) throw new Error("useProjectName is for pages of a project");
  return project;
}

/** What the frame shows as the current project; null when the user has none. */
export function useCurrentProject(): string | null {
  const { project } = useParams();
  const me = useMe();
  return project ?? lastProject(me);
}

export function useProject(project: string, isEnabled = true) {
  return useQuery({ ...projectQuery(project), enabled: isEnabled });
}

/** Whether the user may do this in the project; false until it is known. */
export function useProjectPermission(project: string, permission: ProjectPermission): boolean {
  const { data } = useProject(project);
  return data?.permissions.includes(permission) ?? false;
}

export function rememberProject(project: string | null): void {
  save(LAST, project);
}

export function lastProject(me: MeView): string | null {
  const saved = readSaved(LAST);
  const known = me.projects.some((project) => project.name === saved);
  // Administrators may look at projects they are not members of.
  if (saved !== null && (known || me.kind === "administrator")) return saved;
  const own = me.projects.find((project) => !project.is_public) ?? me.projects[0];
  return own?.name ?? null;
}
