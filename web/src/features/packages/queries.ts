/** Reading packages; their builds are workloads, so news of those bring lists up to date. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { projectPath } from "@/features/projects/current-project";
import { workloadsKey } from "@/features/workloads/queries";
import { checkRecipe, getPackage, getPackageSettings, getPackageVersion, listPackageVersions } from "./api";
import type { PackageRef, PackageVersionRef } from "./api";
import { isUnfinished } from "./states";
import type { RecipeBody } from "./types";

const NEWEST = 10;
const BUILDING_MS = 1_500;

export const packagesKey = (project: string) => [...workloadsKey, "lists", "packages", project] as const;
export const packageKey = (ref: PackageRef) => [...packagesKey(ref.project), "one", ref.package] as const;

export const packageQuery = (ref: PackageRef) =>
  queryOptions({
    queryKey: [...packageKey(ref), "view"],
    queryFn: () => getPackage(ref),
    refetchInterval: ({ state }) => (state.data?.latest && isUnfinished(state.data.latest.state) ? BUILDING_MS : false),
  });

export const packageVersionQuery = (ref: PackageVersionRef) =>
  queryOptions({
    queryKey: [...packageKey(ref), "version", ref.version],
    queryFn: () => getPackageVersion(ref),
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data.state) ? BUILDING_MS : false),
  });

export const newestPackageVersionsQuery = (ref: PackageRef) => queryOptions({ queryKey: [...packageKey(ref), "newest"], queryFn: () => listPackageVersions(ref, { limit: NEWEST }) });

export const recipeCheckQuery = (ref: PackageRef, recipe: Omit<RecipeBody, "note">) =>
  queryOptions({ queryKey: [...packageKey(ref), "check", recipe], queryFn: ({ signal }) => checkRecipe(ref, recipe, signal), retry: false });

export const packageSettingsQuery = (project: string) => queryOptions({ queryKey: ["package-settings", project], queryFn: () => getPackageSettings(project) });

export const packagesPath = (project: string) => projectPath(project, "packages");
export const packagePath = (ref: PackageRef) => projectPath(ref.project, "packages", ref.package);
export const packageVersionPath = (ref: PackageVersionRef) => projectPath(ref.project, "packages", ref.package, "versions", String(ref.version));
/** Where a version is made, beginning with the recipe of another one where it is given. */
export const packageMakePath = (ref: PackageRef, from?: number) => `${projectPath(ref.project, "packages", ref.package, "new")}${from === undefined ? "" : `?from=${from}`}`;

export function useRefreshPackages(project: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: packagesKey(project) });
}
