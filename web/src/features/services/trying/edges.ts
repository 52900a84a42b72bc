import { useQueries } from "@tanstack/react-query";
import type { Edges } from "@/features/annotate/model/skeleton";
import { labelEdges } from "@/features/models/facts";
import { factsQuery } from "@/features/models/queries";
import type { FactsView } from "@/features/models/types";
import { parseRef } from "@/features/workloads/asset-ref";
import type { TrackView } from "../types";
import type { Answer } from "./answer";

/** How the keypoints of an answer are joined, by label, as the models that are deployed there say; asked for where there are any. */
export function useEdges(track: TrackView | undefined, project: string, answer: Answer | null): ReadonlyMap<string, Edges> {
  const isAsked = answer?.annotations.some((one) => one.type === "keypoints") ?? false;
  const models = (isAsked ? (track?.models ?? []) : []).map(parseRef);
  return useQueries({
    queries: models.map(({ isPublic, name, version }) => ({
      ...factsQuery({ project: isPublic ? "public" : project, model: name, version: version ?? 0 }),
      enabled: version !== null,
      staleTime: Infinity,
      // Without it the points are shown alone.
      retry: false,
    })),
    combine: edgesIn,
  });
}

function edgesIn(found: readonly { data?: FactsView | undefined }[]): ReadonlyMap<string, Edges> {
  return new Map(found.flatMap(({ data }) => (data ? [...labelEdges(data)] : [])));
}
