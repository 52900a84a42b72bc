import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { getLabelSet } from "./api";

export const labelSetsKey = (project: string) => ["label-sets", project] as const;

export const labelSetQuery = (project: string, name: string) => queryOptions({ queryKey: [...labelSetsKey(project), "one", name], queryFn: () => getLabelSet(project, name) });

export function labelSetPath(project: string, name: string): string {
  return projectPath(project, "label-sets", name);
}

export function useLabelSetsRefresh() {
  const client = useQueryClient();
  return (project: string) => client.invalidateQueries({ queryKey: labelSetsKey(project) });
}
