/** Calls about packages; files, lineage and deletion are those of all assets. */
import { api, unwrap } from "@/api/client";
import type { Scene } from "@/features/assets/kinds";
import type { ListQuery } from "@/ui/list/types";
import type { PackageCreate, PackageState, RecipeBody } from "./types";

export interface PackageRef {
  project: string;
  package: string;
}

export interface PackageVersionRef extends PackageRef {
  version: number;
}

const ALL = "/api/v1/projects/{project}/packages";
const ONE = "/api/v1/projects/{project}/packages/{package}";
const VERSION = "/api/v1/projects/{project}/packages/{package}/versions/{version}";
const SETTINGS = "/api/v1/projects/{project}/package-settings";

const at = ({ project, package: name }: PackageRef) => ({ path: { project, package: name } });
const atVersion = ({ project, package: name, version }: PackageVersionRef) => ({ path: { project, package: name, version: String(version) } });

export function listPackages(project: string, { filters, ...query }: ListQuery) {
  const narrowed = { ...query, scene: filters.scene as Scene | undefined, mine: filters.mine === "true", state: filters.state as PackageState | undefined };
  return unwrap(api.GET(ALL, { params: { path: { project }, query: narrowed } }));
}

export const createPackage = (project: string, body: PackageCreate) => unwrap(api.POST(ALL, { params: { path: { project } }, body }));

export const getPackage = (ref: PackageRef) => unwrap(api.GET(ONE, { params: at(ref) }));

export const describePackage = (ref: PackageRef, description: string) => unwrap(api.PATCH(ONE, { params: at(ref), body: { description } }));

/** What a recipe would come to; nothing is made. */
export const checkRecipe = (ref: PackageRef, body: Omit<RecipeBody, "note">, signal?: AbortSignal) => unwrap(api.POST(`${ONE}/check`, { params: at(ref), body, signal }));

export const listPackageVersions = (ref: PackageRef, { q, sort, limit, cursor }: Omit<ListQuery, "filters">) =>
  unwrap(api.GET(`${ONE}/versions`, { params: { ...at(ref), query: { q, sort, limit, cursor } } }));

export const createPackageVersion = (ref: PackageRef, body: RecipeBody) => unwrap(api.POST(`${ONE}/versions`, { params: at(ref), body }));

export const getPackageVersion = (ref: PackageVersionRef) => unwrap(api.GET(VERSION, { params: atVersion(ref) }));

/** Another version from the same recipe. */
export const copyPackageVersion = (ref: PackageVersionRef, note: string) => unwrap(api.POST(`${VERSION}/copy`, { params: atVersion(ref), body: { note } }));

export const buildPackageVersion = (ref: PackageVersionRef) => unwrap(api.POST(`${VERSION}/build`, { params: atVersion(ref) }));

export const stopPackageBuild = (ref: PackageVersionRef) => unwrap(api.POST(`${VERSION}/stop`, { params: atVersion(ref) }));

export const getPackageSettings = (project: string) => unwrap(api.GET(SETTINGS, { params: { path: { project } } }));

export const setPackageSettings = (project: string, body: { allow_pickles: boolean }) => unwrap(api.PUT(SETTINGS, { params: { path: { project } }, body }));

/** Where the browser gets the file by itself that runs the package elsewhere. */
export function exportAddress({ project, package: name, version }: PackageVersionRef): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/packages/${encodeURIComponent(name)}/versions/${version}/export`;
}
