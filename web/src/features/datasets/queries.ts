/** Reading datasets and versions, and what to read again after a change. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { assetsKey } from "@/features/assets/queries";
import { getDataset, getDatasetVersion, getStatistics, listDatasetVersions, listLabels } from "./api";
import type { DatasetRef, DatasetVersionRef, DatasetVersionView } from "./types";

const NEWEST = 5;
/** While a version is being copied or published it is looked at again this often. */
const WORK_MS = 1500;

export const datasetsKey = (project: string) => ["datasets", project] as const;
export const datasetKey = ({ project, dataset }: DatasetRef) => [...datasetsKey(project), "one", dataset] as const;
const versionsKey = (ref: DatasetRef) => [...datasetKey(ref), "versions"] as const;
export const versionKey = (ref: DatasetVersionRef) => [...versionsKey(ref), ref.version] as const;
export const itemsKey = (ref: DatasetVersionRef) => [...versionKey(ref), "items"] as const;

export const datasetQuery = (ref: DatasetRef) => queryOptions({ queryKey: [...datasetKey(ref), "view"], queryFn: () => getDataset(ref) });

export const newestVersionsQuery = (ref: DatasetRef) =>
  queryOptions({
    queryKey: [...versionsKey(ref), "newest"],
    queryFn: () => listDatasetVersions(ref, { limit: NEWEST }),
    refetchInterval: (query) => (query.state.data?.items.some(isAtWork) ? WORK_MS : false),
  });

export const olderVersionsKey = (ref: DatasetRef) => [...versionsKey(ref), "older"] as const;

export const datasetVersionQuery = (ref: DatasetVersionRef) =>
  queryOptions({
    queryKey: [...versionKey(ref), "view"],
    queryFn: () => getDatasetVersion(ref),
    refetchInterval: (query) => (query.state.data && isAtWork(query.state.data) ? WORK_MS : false),
  });

export const labelsQuery = (ref: DatasetVersionRef) => queryOptions({ queryKey: [...versionKey(ref), "labels"], queryFn: () => listLabels(ref) });

export const statisticsQuery = (ref: DatasetVersionRef) => queryOptions({ queryKey: [...versionKey(ref), "statistics"], queryFn: () => getStatistics(ref) });

/** Something is being done with the version that ends by itself. */
export function isAtWork(version: Pick<DatasetVersionView, "work">): boolean {
  return version.work === "copying" || version.work === "publishing";
}

export function useDatasetRefresh() {
  const client = useQueryClient();
  return {
    /** After a change to items, annotations or labels. */
    version: (ref: DatasetVersionRef) => client.invalidateQueries({ queryKey: versionKey(ref) }),
    /** After versions came or went. */
    dataset: (ref: DatasetRef) => client.invalidateQueries({ queryKey: datasetKey(ref) }),
    /** After datasets came, went or changed their name. */
    datasets: (project: string) =>
      Promise.all([client.invalidateQueries({ queryKey: datasetsKey(project) }), client.invalidateQueries({ queryKey: assetsKey(project, "datasets") })]),
  };
}
