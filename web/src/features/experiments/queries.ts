import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { trainingKey } from "@/features/training/queries";
import { getExperiment, listKeys } from "./api";
import type { ExperimentRef } from "./api";

export const experimentsKey = (project: string) => [...trainingKey, "experiments", project] as const;
/** Below the runs' key: what the server pushes about runs renews these tables, too. */
export const experimentRunsKey = ({ project, experiment }: ExperimentRef) => [...trainingKey, "runs", project, "experiment", experiment] as const;

export const experimentQuery = (ref: ExperimentRef) => queryOptions({ queryKey: [...experimentsKey(ref.project), "one", ref.experiment], queryFn: () => getExperiment(ref) });
export const keysQuery = (ref: ExperimentRef) => queryOptions({ queryKey: [...experimentsKey(ref.project), "keys", ref.experiment], queryFn: () => listKeys(ref), refetchInterval: 30_000 });

export const experimentsPath = (project: string) => projectPath(project, "experiments");
export const experimentPath = (project: string, id: string) => projectPath(project, "experiments", id);

export function useRefreshExperiments() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: trainingKey });
}
