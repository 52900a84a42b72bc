import { useQuery } from "@tanstack/react-query";
import { getItem } from "@/features/datasets/api";
import { itemsKey } from "@/features/datasets/queries";
import type { DatasetVersionRef } from "@/features/datasets/types";

/** An item of a published version: it does not change any more. */
export function useItem(of: DatasetVersionRef, seq: number) {
  return useQuery({ queryKey: [...itemsKey(of), "one", seq], queryFn: () => getItem(of, seq), staleTime: 60_000 });
}
