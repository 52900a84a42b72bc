/** Reading evaluations, and taking in what the server pushes about them. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { takeNews } from "@/lib/news";
import { compareEvaluations, getEvaluation } from "./api";
import type { EvaluationDetail, EvaluationRef, EvaluationView } from "./types";

const GOING_MS = 3_000;

export const evaluationsKey = ["evaluations"] as const;
export const listKey = (project: string) => [...evaluationsKey, "lists", project] as const;
const oneKey = (id: string) => [...evaluationsKey, "one", id] as const;

export const evaluationQuery = (ref: EvaluationRef) =>
  queryOptions({
    queryKey: oneKey(ref.id),
    queryFn: () => getEvaluation(ref),
    // What is pushed has no result: it is read when the evaluation has ended, and meanwhile in case nothing is pushed.
    refetchInterval: ({ state }) => (state.data && isGoing(state.data) ? GOING_MS : false),
  });

export const comparisonQuery = (project: string, ids: string[]) => queryOptions({ queryKey: [...evaluationsKey, "compare", project, ids], queryFn: () => compareEvaluations(project, ids) });

export const evaluationsPath = (project: string) => projectPath(project, "evaluations");
export const evaluationPath = (project: string, id: string) => projectPath(project, "evaluations", id);

export function comparePath(project: string, ids: string[]): string {
  return `${projectPath(project, "evaluations", "compare")}?${new URLSearchParams({ ids: ids.join(",") })}`;
}

/** It will come further by itself. */
export function isGoing({ state }: Pick<EvaluationView, "state">): boolean {
  return state === "waiting" || state === "running";
}

export function useRefreshEvaluations() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: evaluationsKey });
}

/** An evaluation that began, came further or ended. */
export function takeEvaluation(client: QueryClient, news: EvaluationView): void {
  if (isGoing(news)) takeNews<EvaluationDetail>(client, { queryKey: oneKey(news.id) }, (old) => ({ ...old, ...news }));
  else void client.invalidateQueries({ queryKey: oneKey(news.id) });
  soon(client);
}

const LISTS_MS = 1_000;
let timer: number | undefined;

/** Lists are read again at most once a second. */
function soon(client: QueryClient): void {
  if (timer !== undefined) return;
  timer = window.setTimeout(() => {
    timer = undefined;
    void client.invalidateQueries({ queryKey: [...evaluationsKey, "lists"] });
  }, LISTS_MS);
}
