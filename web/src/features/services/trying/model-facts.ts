import { useQueries } from "@tanstack/react-query";
import type { Edges } from "@/features/annotate/model/skeleton";
import { labelEdges, rowSample } from "@/features/models/facts";
import { factsQuery } from "@/features/models/queries";
import type { FactsView } from "@/features/models/types";
import { parseRef } from "@/features/workloads/asset-ref";
import type { TrackView } from "../types";
import type { Answer } from "./answer";

type Found = readonly { data?: FactsView | undefined }[];

/** How the keypoints of an answer are joined, by label, as the models that are deployed there say; asked for where there are any. */
export function useEdges(track: TrackView | undefined, project: string, answer: Answer | null): ReadonlyMap<string, Edges> {
  const isAsked = answer?.annotations.some((one) => one.type === "keypoints") ?? false;
  return useModelFacts(isAsked ? track : undefined, project, edgesIn);
}

/** A row with the columns that the model looks at, as JSON; null where it looks at none. */
export function useRowSample(track: TrackView | undefined, project: string): string | null {
  return useModelFacts(track, project, sampleIn);
}

function useModelFacts<T>(track: TrackView | undefined, project: string, combine: (found: Found) => T): T {
  return useQueries({
    queries: (track?.models ?? []).map(parseRef).map(({ isPublic, name, version }) => ({
      ...factsQuery({ project: isPublic ? "public" : project, model: name, version: version ?? 0 }),
      enabled: version !== null,
      staleTime: Infinity,
      // It is a help, and the page is there without it.
      retry: false,
    })),
    combine,
  });
}

function edgesIn(found: Found): ReadonlyMap<string, Edges> {
  return new Map(found.flatMap(({ data }) => (data ? [...labelEdges(data)] : [])));
}

function sampleIn(found: Found): string | null {
  const row = found.flatMap(({ data }) => (data ? [rowSample(data)] : [])).find((one) => one !== null);
  return row ? JSON.stringify(row, null, 2) : null;
}
