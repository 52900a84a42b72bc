import { queryOptions } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { workloadsKey } from "@/features/workloads/queries";
import { isEnded } from "@/features/workloads/states";
import { getEnvironment } from "./api";

/** Beside the lists of workloads, so that environments are read again whenever a workload moves. */
export const environmentsKey = (project: string) => [...workloadsKey, "lists", "environments", project] as const;

const LIVE_MS = 15_000;

export const environmentQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: [...environmentsKey(project), "one", id],
    queryFn: () => getEnvironment(project, id),
    // When it will be stopped changes by being used, which moves nothing.
    refetchInterval: ({ state }) => (state.data && isEnded(state.data.state) ? false : LIVE_MS),
  });

export function environmentPath(project: string, id: string): string {
  return projectPath(project, "environments", id);
}
