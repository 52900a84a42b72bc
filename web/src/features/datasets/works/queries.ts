/** Long work on a version: told of by the server while it goes on, and asked for where that fails. */
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { usePollInterval } from "@/features/activity/live-events";
import { versionKey } from "../queries";
import type { DatasetVersionRef } from "../types";
import { listFormats } from "./api";
import { isUnderWay, worksKey } from "./news";
import type { WorkKind } from "./news";

const LOOK_MS = 1000;
/** While the server pushes, this only catches what was told in a moment without connection. */
const LOOK_WHILE_TOLD_MS = 15_000;
const PAGE = 20;

interface Work {
  id: string;
  state: string;
}

export const formatsQuery = queryOptions({ queryKey: ["dataset-formats"], queryFn: listFormats, staleTime: 600_000 });

/** What people call a format; null for what is none, such as rows of a query. */
export function useFormatTitle(): (name: string | null) => string | null {
  const formats = useQuery(formatsQuery);
  return (name) => formats.data?.items.find((format) => format.name === name)?.title ?? null;
}

/** How often to look at these again. */
export function lookInterval(works: readonly { state: string }[], isTold: boolean): number | false {
  if (!works.some(isUnderWay)) return false;
  return isTold ? LOOK_WHILE_TOLD_MS : LOOK_MS;
}

/** The newest first; when one ends, everything of the version is read again. */
export function useWorks<W extends Work>(ref: DatasetVersionRef, kind: WorkKind, load: (query: { limit: number; cursor?: string }) => Promise<{ items: W[]; next?: string | null; total: number }>) {
  const client = useQueryClient();
  const isTold = usePollInterval() === false;
  const query = useInfiniteQuery({
    queryKey: [...worksKey(ref, kind), "list"],
    queryFn: ({ pageParam }) => load({ limit: PAGE, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    refetchInterval: ({ state }) => lookInterval(state.data?.pages.flatMap((page) => page.items) ?? [], isTold),
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
