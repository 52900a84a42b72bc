import type { DatasetVersionRef } from "@/features/datasets/types";
import type { EvaluationView } from "./types";

/** The version it was measured on; null where it is gone or not to be seen. */
export function datasetOf({ dataset_project: project, dataset_name: dataset, dataset_version: version, dataset_version_id: id }: EvaluationView): DatasetVersionRef | null {
  return project !== null && version !== null && id !== null ? { project, dataset, version } : null;
}
