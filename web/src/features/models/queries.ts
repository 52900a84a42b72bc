/** Reading manifests and facts. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getFacts, getManifest, listFacts } from "./api";
import type { AlgorithmRef, FactsQuery } from "./api";
import type { ModelRef } from "./types";

const PICKED = 30;

export const factsKey = ["model-facts"] as const;

export const factsQuery = (ref: ModelRef) => queryOptions({ queryKey: [...factsKey, ref.project, "one", ref.model, ref.version], queryFn: () => getFacts(ref) });

/** The first to choose from. */
export const pickedFactsQuery = (project: string, query: Omit<FactsQuery, "limit">) =>
  queryOptions({ queryKey: [...factsKey, project, "pick", query], queryFn: () => listFacts(project, { ...query, limit: PICKED }), placeholderData: keepPreviousData });

/** Most algorithms say nothing of themselves: that is an answer, not a failure to try again. */
export const manifestQuery = (ref: AlgorithmRef) => queryOptions({ queryKey: ["manifest", ref.project, ref.algorithm, ref.version], queryFn: () => getManifest(ref), retry: false });
