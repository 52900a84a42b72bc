import { queryOptions } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { workloadsKey } from "@/features/workloads/queries";
import { isEnded } from "@/features/workloads/states";
import { getEnvironment } from "./api";
import type { EnvironmentView } from "./types";

/** Beside the lists of workloads, so that environments are read again whenever a workload moves. */
export const environmentsKey = (project: string) => [...workloadsKey, "lists", "environments", project] as const;

const LIVE_MS = 15_000;
/** Until it is known whether JupyterLab is there. */
const OPENING_MS = 2_000;

export const environmentQuery = (project: string, name: string) =>
  queryOptions({
    queryKey: [...environmentsKey(project), "one", name],
    queryFn: () => getEnvironment(project, name),
    // When it will be stopped changes by being used, which moves nothing.
    refetchInterval: ({ state: { data } }) => {
      if (data && isEnded(data.state)) return false;
      return data?.state === "running" && data.has_jupyter === null ? OPENING_MS : LIVE_MS;
    },
  });

/** By name; by id where the name is a page of ours. */
export function environmentPath(project: string, { id, name }: Pick<EnvironmentView, "id" | "name">): string {
  return projectPath(project, "environments", name === "new" ? id : name);
}
