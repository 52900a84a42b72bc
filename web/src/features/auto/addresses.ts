import { annotatePath } from "@/features/annotate/addresses";
import { datasetVersionPath } from "@/features/datasets/addresses";
import type { DatasetVersionRef } from "@/features/datasets/types";

/** The form, perhaps with a model chosen already. */
export function autoPath(of: DatasetVersionRef, model?: string | null): string {
  return `${datasetVersionPath(of, "auto")}${model ? `?${new URLSearchParams({ model })}` : ""}`;
}

export function autoTabPath(of: DatasetVersionRef): string {
  return `${datasetVersionPath(of)}?tab=auto`;
}

/** Going through suggestions in the workbench, those first that most need it. */
export function decidePath({ project, dataset, version }: DatasetVersionRef): string {
  return annotatePath(project, dataset, version, undefined, { state: "suggested", sort: "uncertainty" });
}
