import { queryOptions } from "@tanstack/react-query";
import { datasetKey } from "@/features/datasets/queries";
import type { DatasetRef } from "@/features/datasets/types";
import { getLoop, listAlgorithms } from "./api";

/** A round goes through several steps that end by themselves; otherwise somebody else may be labelling. */
const ROUND_MS = 2000;
const QUIET_MS = 15_000;

export const loopKey = (ref: DatasetRef) => [...datasetKey(ref), "loop"] as const;

export const algorithmsQuery = (project: string, task: string) => queryOptions({ queryKey: ["manifests", project, task], queryFn: () => listAlgorithms(project, task), staleTime: 60_000 });

export const loopQuery = (ref: DatasetRef) =>
  queryOptions({
    queryKey: [...loopKey(ref), "view"],
    queryFn: () => getLoop(ref),
    refetchInterval: ({ state }) => (state.data?.round?.state === "running" ? ROUND_MS : QUIET_MS),
  });
