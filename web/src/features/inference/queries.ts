/** Reading entries and runs of batch inference, and taking in what the server pushes about runs. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { projectPath } from "@/features/projects/current-project";
import { isEnded } from "@/features/workloads/states";
import { takeNews } from "@/lib/news";
import { getInference, getInferenceRun, listWriteBacks, suggestMapping } from "./api";
import type { InferenceRef, InferenceRunRef } from "./api";
import type { InferenceRun, WriteBackBody, WriteBackView } from "./types";

const GOING_MS = 1_500;
const REST_MS = 15_000;

export const inferenceKey = ["inference"] as const;
export const entriesKey = (project: string) => [...inferenceKey, "entries", project] as const;
export const runsKey = ({ project, inference }: InferenceRef) => [...inferenceKey, "runs", project, inference] as const;
const runKey = ({ project, inference, run }: InferenceRunRef) => [...inferenceKey, "run", project, inference, run] as const;

export const entryQuery = (ref: InferenceRef) => queryOptions({ queryKey: [...entriesKey(ref.project), "one", ref.inference], queryFn: () => getInference(ref) });

export const runQuery = (ref: InferenceRunRef) =>
  queryOptions({
    queryKey: [...runKey(ref), "view"],
    queryFn: () => getInferenceRun(ref),
    refetchInterval: ({ state }) => (state.data && !isEnded(state.data.state) ? GOING_MS : REST_MS),
  });

export const resultsKey = (ref: InferenceRunRef) => [...runKey(ref), "results"] as const;
export const filesKey = (ref: InferenceRunRef) => [...runKey(ref), "files"] as const;

export const writeBacksQuery = (ref: InferenceRunRef) =>
  queryOptions({
    queryKey: [...runKey(ref), "write-backs"],
    queryFn: () => listWriteBacks(ref),
    refetchInterval: ({ state }) => (state.data?.items.some(isWriting) ? GOING_MS : false),
  });

/** What the labels that were found seem to mean where they would be written to. */
export const writeBackMappingQuery = (ref: InferenceRunRef, { form, dataset }: Pick<WriteBackBody, "form" | "dataset">) => {
  const target = form === "suggestions" ? { form, dataset: dataset ?? null } : { form };
  return queryOptions({ queryKey: [...runKey(ref), "mapping", target], queryFn: () => suggestMapping(ref, target), retry: false });
};

export function isWriting({ state }: Pick<WriteBackView, "state">): boolean {
  return state === "waiting" || state === "copying" || state === "writing";
}

export const entriesPath = (project: string) => projectPath(project, "inferences");
export const entryPath = (project: string, inference: string) => projectPath(project, "inferences", inference);
export const runPath = (project: string, inference: string, number: number) => projectPath(project, "inferences", inference, "runs", String(number));

/** The page where a new entry is made, with what is known of it already. */
export function newEntryPath(project: string, known: { model?: string; dataset?: string; service?: string } = {}): string {
  const given = Object.entries(known).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const query = new URLSearchParams(given).toString();
  return projectPath(project, "inferences", "new") + (query && `?${query}`);
}

/** The version that was looked at; null where it is gone or not to be seen. */
export function datasetOf({ dataset_project: project, dataset_name: dataset, dataset_version: version }: InferenceRun): DatasetVersionRef | null {
  return project !== null && dataset !== null && version !== null ? { project, dataset, version } : null;
}

/** After a change to entries or runs. */
export function useRefreshInference() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: inferenceKey });
}

/** Pages know an entry by its name and a run by its number, the server's news by ids too. */
export function takeInferenceRun(client: QueryClient, run: InferenceRun): void {
  takeNews<InferenceRun>(client, { predicate: ({ queryKey }) => isViewOf(queryKey, run) }, () => run);
  soon(client);
}

function isViewOf([all, kind, , inference, at, what]: readonly unknown[], run: InferenceRun): boolean {
  const isRun = all === inferenceKey[0] && kind === "run" && what === "view";
  return isRun && (inference === run.inference || inference === run.inference_id) && (at === String(run.number) || at === run.id);
}

const LISTS_MS = 1_000;
let timer: number | undefined;

/** Lists are read again at most once a second. */
function soon(client: QueryClient): void {
  if (timer !== undefined) return;
  timer = window.setTimeout(() => {
    timer = undefined;
    void client.invalidateQueries({ queryKey: [...inferenceKey, "entries"] });
    void client.invalidateQueries({ queryKey: [...inferenceKey, "runs"] });
  }, LISTS_MS);
}
