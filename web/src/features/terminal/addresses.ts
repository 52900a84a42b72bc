import { projectPath } from "@/features/projects/current-project";

/** A page that is nothing but a terminal on a running workload. */
export function terminalPath(project: string, workload: string): string {
  return projectPath(project, "workloads", workload, "terminal");
}
