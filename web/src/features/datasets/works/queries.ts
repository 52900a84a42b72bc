/** Long work on a version, looked at again and again while it goes on. */
import { queryOptions, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { versionKey } from "../queries";
import type { DatasetVersionRef } from "../types";
import { listFormats } from "./api";

const LOOK_MS = 1000;
const PAGE = 20;

export type WorkKind = "imports" | "exports" | "preprocess" | "scans";

interface Work {
  id: string;
  state: string;
}

export const worksKey = (ref: DatasetVersionRef, kind: WorkKind) => [...versionKey(ref), kind] as const;

export const formatsQuery = queryOptions({ queryKey: ["dataset-formats"], queryFn: listFormats, staleTime: 600_000 });

export function isUnderWay({ state }: { state: string }): boolean {
  return state === "waiting" || state === "running" || state === "generating";
}

/** How often to look at these again. */
export function lookInterval(works: readonly { state: string }[]): number | false {
  return works.some(isUnderWay) ? LOOK_MS : false;
}

/** The newest first; when one ends, everything of the version is read again. */
export function useWorks<W extends Work>(ref: DatasetVersionRef, kind: WorkKind, load: (query: { limit: number; cursor?: string }) => Promise<{ items: W[]; next?: string | null; total: number }>) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: [...worksKey(ref, kind), "list"],
    queryFn: ({ pageParam }) => load({ limit: PAGE, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    refetchInterval: ({ state }) => lookInterval(state.data?.pages.flatMap((page) => page.items) ?? []),
  });
  const works = query.data?.pages.flatMap((page) => page.items) ?? [];
  useWhenEnded(works, () => void client.invalidateQueries({ queryKey: versionKey(ref), predicate: ({ queryKey }) => !queryKey.includes(kind) }));
  return { query, works };
}

/** Calls back when something that was under way no longer is. */
export function useWhenEnded(works: readonly Work[], onEnded: () => void): void {
  const going = works
    .filter(isUnderWay)
    .map((work) => work.id)
    .join(" ");
  const ended = useEffectEvent(onEnded);
  useEffect(() => {
    if (going === "") return;
    return () => ended();
  }, [going]);
}
