import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { QueryKey } from "@tanstack/react-query";
import type { ListState } from "./list-state";
import type { ListLoader } from "./types";

const PAGE_SIZE = 50;

/** The rows loaded so far, and how to get more; earlier rows stay where they are. */
export function useListData<T>(queryKey: QueryKey, load: ListLoader<T>, state: ListState, refreshMs?: number) {
  const { q, sort, filters } = state;
  const query = useInfiniteQuery({
    queryKey: [...queryKey, "list", { q, sort, filters }],
    queryFn: ({ pageParam }) =>
      load({ q: q || undefined, sort: sort || undefined, limit: PAGE_SIZE, cursor: pageParam ?? undefined, filters }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
  const first = query.data?.pages[0];
  return {
    query,
    rows: query.data?.pages.flatMap((page) => page.items) ?? [],
    total: first?.total ?? 0,
    isTotalCapped: first?.total_capped ?? false,
  };
}
