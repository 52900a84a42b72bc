/** Where datasets and their versions are shown, and where their content is. */
import { address } from "@/api/json";
import { projectPath } from "@/features/projects/current-project";
import type { DatasetRef, DatasetVersionRef, ItemView } from "./types";

export function datasetsPath(project: string): string {
  return projectPath(project, "datasets");
}

export function datasetPath({ project, dataset }: DatasetRef): string {
  return projectPath(project, "datasets", dataset);
}

/** A version's page, or one of the pages below it. */
export function datasetVersionPath({ project, dataset, version }: DatasetVersionRef, ...parts: string[]): string {
  return projectPath(project, "datasets", dataset, "versions", String(version), ...parts);
}

export function versionApi({ project, dataset, version }: DatasetVersionRef): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/datasets/${encodeURIComponent(dataset)}/versions/${version}`;
}

export function contentAddress(ref: DatasetVersionRef, item: Pick<ItemView, "seq">, isDownload = false): string {
  return `${versionApi(ref)}/items/${item.seq}/content${isDownload ? "?download=true" : ""}`;
}

/** The digest keeps a cached picture from being shown for another item of the same number. */
export function thumbnailAddress(ref: DatasetVersionRef, item: Pick<ItemView, "seq" | "digest">, size = 256): string {
  return address(`${versionApi(ref)}/items/${item.seq}/thumbnail`, { size, digest: item.digest.slice(0, 12) });
}
