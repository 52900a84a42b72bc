/** Reading tasks and runs, and taking in what the server pushes about runs. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { takeNews } from "@/lib/news";
import { getRun, getTask } from "./api";
import type { RunRef, TaskRef } from "./api";
import type { RunView } from "./types";

export const trainingKey = ["training"] as const;
export const tasksKey = (project: string) => [...trainingKey, "tasks", project] as const;
export const runsKey = (project: string) => [...trainingKey, "runs", project] as const;
const runKey = (project: string, run: string) => [...trainingKey, "run", project, run] as const;

export const taskQuery = (ref: TaskRef) => queryOptions({ queryKey: [...tasksKey(ref.project), "one", ref.task], queryFn: () => getTask(ref) });

/** Asked for now and then too: a page that was away from the server for a while must not show old news for ever. */
export const runQuery = (ref: RunRef) => queryOptions({ queryKey: [...runKey(ref.project, ref.run), "view"], queryFn: () => getRun(ref), refetchInterval: 15_000 });

export const metricsKey = (ref: RunRef) => [...runKey(ref.project, ref.run), "metrics"] as const;
export const filesKey = (ref: RunRef) => [...runKey(ref.project, ref.run), "files"] as const;

export const tasksPath = (project: string) => projectPath(project, "training");
export const taskPath = (project: string, task: string) => projectPath(project, "training", "tasks", task);
/** Where a run is shown: below its task; one from outside below its experiment, by its id, for its name may be another's, too. */
export function runPath(project: string, run: { task: string | null; name: string; id?: string; experiment_id?: string }): string {
  if (run.task !== null) return projectPath(project, "training", "tasks", run.task, "runs", run.name);
  return projectPath(project, "experiments", run.experiment_id ?? "", "runs", run.id ?? run.name);
}

/** How a run is asked for: by its name, or, from outside, where several may have one name, by its id. */
export const refOf = (run: { task: string | null; name: string; id: string }) => (run.task === null ? run.id : run.name);

export function comparePath(project: string, runs: string[]): string {
  return `${projectPath(project, "training", "compare")}?${new URLSearchParams({ runs: runs.join(",") })}`;
}

/** After a change to tasks or runs. */
export function useRefreshTraining() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: trainingKey });
}

/** Pages know a run by its name, the server's news by both. */
export function takeRun(client: QueryClient, run: RunView): void {
  takeNews<RunView>(client, { predicate: ({ queryKey }) => isViewOf(queryKey, run) }, () => run);
  soon(client);
}

function isViewOf(key: readonly unknown[], run: RunView): boolean {
  return key[0] === trainingKey[0] && key[1] === "run" && key[4] === "view" && (key[3] === run.name || key[3] === run.id);
}

const LISTS_MS = 1_000;
let timer: number | undefined;

function soon(client: QueryClient): void {
  if (timer !== undefined) return;
  timer = window.setTimeout(() => {
    timer = undefined;
    void client.invalidateQueries({ queryKey: [...trainingKey, "tasks"] });
    void client.invalidateQueries({ queryKey: [...trainingKey, "runs"] });
  }, LISTS_MS);
}
