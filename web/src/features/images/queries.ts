import { queryOptions } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { workloadsKey } from "@/features/workloads/queries";
import { getImage, readContents } from "./api";

/** Beside the lists of workloads: a build that moves changes its image. */
export const imagesKey = (project: string) => [...workloadsKey, "lists", "images", project] as const;

const BUILDING_MS = 2_000;

export const imageQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: [...imagesKey(project), "one", id],
    queryFn: () => getImage(project, id),
    // A build changes the image, not only its workload.
    refetchInterval: ({ state }) => (state.data?.state === "building" ? BUILDING_MS : false),
  });

const USED_MS = 15_000;

/** What runs in it changes with every workload that starts or ends. */
export const contentsQuery = (project: string, id: string, digest: string | null) =>
  queryOptions({ queryKey: [...imagesKey(project), "contents", id, digest], queryFn: () => readContents(project, id), refetchInterval: USED_MS });

export function imagePath(project: string, id: string): string {
  return projectPath(project, "images", id);
}
