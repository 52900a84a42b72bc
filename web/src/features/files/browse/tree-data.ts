import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { treeKey } from "@/features/assets/queries";
import { readEntry, readTree } from "../api";
import type { VersionRef } from "../version-ref";

const PAGE_SIZE = 200;

/** A folder's entries, or what a search finds under it; more on demand, earlier rows stay where they are. */
export function useFolder(ref: VersionRef, path: string, q: string) {
  const query = useInfiniteQuery({
    queryKey: [...treeKey(ref), "folder", path, q],
    queryFn: ({ pageParam }) => readTree(ref, { path, q: q || undefined, limit: PAGE_SIZE, cursor: pageParam ?? undefined }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    placeholderData: keepPreviousData,
  });
  return { query, entries: query.data?.pages.flatMap((page) => page.items) ?? [], total: query.data?.pages[0]?.total ?? null };
}

export function useEntry(ref: VersionRef, path: string, isEnabled: boolean) {
  return useQuery({ queryKey: [...treeKey(ref), "entry", path], queryFn: () => readEntry(ref, path), enabled: isEnabled });
}

/** The folders directly in a folder. They come before files, so reading stops at the first file. */
export async function readFolders(ref: VersionRef, path: string): Promise<{ name: string; path: string }[]> {
  const folders: { name: string; path: string }[] = [];
  let cursor: string | undefined;
  do {
    const page = await readTree(ref, { path, limit: PAGE_SIZE, cursor });
    folders.push(...page.items.filter((entry) => entry.type === "dir"));
    cursor = page.items.some((entry) => entry.type === "file") ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return folders;
}
