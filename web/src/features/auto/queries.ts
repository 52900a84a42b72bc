/** Reading what models propose for a version. */
import { queryOptions } from "@tanstack/react-query";
import { versionKey } from "@/features/datasets/queries";
import type { DatasetVersionRef } from "@/features/datasets/types";
import { getSummary, readMapping } from "./api";
import type { Source } from "./types";

const suggestionsKey = (of: DatasetVersionRef) => [...versionKey(of), "suggestions"] as const;

export const summaryQuery = (of: DatasetVersionRef) => queryOptions({ queryKey: [...suggestionsKey(of), "summary"], queryFn: () => getSummary(of) });

/** What was decided about many last, to be taken back. */
export const lastDecisionKey = (of: DatasetVersionRef) => [...suggestionsKey(of), "last"] as const;

export const labelErrorsKey = (of: DatasetVersionRef) => [...versionKey(of), "label-errors"] as const;

export const mappingQuery = (of: DatasetVersionRef, source: Source | null) =>
  queryOptions({
    queryKey: [...versionKey(of), "auto-mapping", source],
    queryFn: ({ signal }) => (source ? readMapping(of, source, signal) : Promise.reject(new Error("nothing chosen to ask"))),
    enabled: source !== null,
    retry: false,
    staleTime: 60_000,
  });
