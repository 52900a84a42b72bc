/** What the form of a write-back holds, and how it becomes what the server takes. */
import type { InferenceRun, WriteBackBody } from "../types";

export interface BackValues {
  form: WriteBackBody["form"];
  dataset?: string | null;
  threshold: number | null;
  make_labels: boolean;
  existing?: "keep" | "replace";
  note: string;
}

export function backBody({ form, dataset, threshold, make_labels, existing, note }: BackValues): WriteBackBody {
  return { form, threshold: threshold ?? null, make_labels, existing: existing ?? "keep", note, ...(form === "suggestions" ? { dataset: dataset ?? null } : {}) };
}

/** Labels of the results that are not among these. */
export function newLabels(run: Pick<InferenceRun, "classes">, labels: readonly { name: string }[]): string[] {
  const known = new Set(labels.map((label) => label.name));
  return run.classes.map((one) => one.label).filter((label) => !known.has(label));
}
