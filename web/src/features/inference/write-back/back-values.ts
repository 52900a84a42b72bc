/** What the form of a write-back holds, and how it becomes what the server takes. */
import { mappingOf } from "@/features/auto/auto-values";
import type { MappedLabel, Target } from "@/features/auto/types";
import type { WriteBackBody } from "../types";

export interface BackValues {
  form: WriteBackBody["form"];
  dataset?: string | null;
  threshold: number | null;
  /** Only what was chosen by hand; everything else is as it was suggested. */
  mapping?: Record<string, Target>;
  /** Labels that match none of the dataset's are made. */
  makeLabels?: boolean;
  existing?: "keep" | "replace";
  note: string;
}

/** `found` are the labels of the results, as far as they are known. */
export function backBody({ form, dataset, threshold, mapping, makeLabels = true, existing, note }: BackValues, found: readonly MappedLabel[] = []): WriteBackBody {
  const chosen = mappingOf(found, { mapping, makeLabels });
  return {
    form,
    threshold: threshold ?? null,
    ...(found.length > 0 ? { mapping: chosen } : {}),
    make_labels: makeLabels || Object.values(chosen).some((target) => typeof target === "string"),
    existing: existing ?? "keep",
    note,
    ...(form === "suggestions" ? { dataset: dataset ?? null } : {}),
  };
}
