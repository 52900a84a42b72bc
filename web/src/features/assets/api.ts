/** Calls about assets and their versions. */
import { api, unwrap } from "@/api/client";
import type { VersionRef } from "@/features/files/version-ref";
import type { ListQuery } from "@/ui/list/types";
import type { KindSegment, Scene } from "./kinds";
import type { AssetCreate, VersionPatch } from "./types";

export interface AssetRef {
  project: string;
  kind: KindSegment;
  asset: string;
}

const KIND = "/api/v1/projects/{project}/{kind}";
const ASSET = "/api/v1/projects/{project}/{kind}/{asset}";
const VERSIONS = "/api/v1/projects/{project}/{kind}/{asset}/versions";
const VERSION = "/api/v1/projects/{project}/{kind}/{asset}/versions/{version}";

const atAsset = ({ project, kind, asset }: AssetRef) => ({ project, kind, asset });

/** A version's place as path parameters. */
export const atVersion = (ref: VersionRef) => ({ ...atAsset(ref), version: String(ref.version) });

export function listAssets(project: string, kind: KindSegment, { filters, ...query }: ListQuery) {
  const narrowed = { ...query, scene: filters.scene as Scene | undefined, mine: filters.mine === "true" };
  return unwrap(api.GET(KIND, { params: { path: { project, kind }, query: narrowed } }));
}

export function createAsset(project: string, kind: KindSegment, body: AssetCreate) {
  return unwrap(api.POST(KIND, { params: { path: { project, kind } }, body }));
}

export function getAsset(ref: AssetRef) {
  return unwrap(api.GET(ASSET, { params: { path: atAsset(ref) } }));
}

export function describeAsset(ref: AssetRef, description: string) {
  return unwrap(api.PATCH(ASSET, { params: { path: atAsset(ref) }, body: { description } }));
}

export function deleteAsset(ref: AssetRef) {
  return unwrap(api.DELETE(ASSET, { params: { path: atAsset(ref) } }));
}

export function copyAsset(ref: AssetRef, body: { name: string; to_project?: string; version?: number }) {
  return unwrap(api.POST(`${ASSET}/copy`, { params: { path: atAsset(ref) }, body }));
}

export function listReferences(ref: AssetRef) {
  return unwrap(api.GET(`${ASSET}/references`, { params: { path: atAsset(ref) } }));
}

export function listVersions(ref: AssetRef, query: { q?: string; sort?: string; limit: number; cursor?: string }) {
  return unwrap(api.GET(VERSIONS, { params: { path: atAsset(ref), query } }));
}

/** A draft, with the files of the version `from` or none. */
export function createVersion(ref: AssetRef, body: { from?: string; note?: string }) {
  return unwrap(api.POST(VERSIONS, { params: { path: atAsset(ref) }, body: { note: "", ...body } }));
}

export function getVersion(ref: VersionRef) {
  return unwrap(api.GET(VERSION, { params: { path: atVersion(ref) } }));
}

export function patchVersion(ref: VersionRef, body: VersionPatch) {
  return unwrap(api.PATCH(VERSION, { params: { path: atVersion(ref) }, body }));
}

export function deleteVersion(ref: VersionRef) {
  return unwrap(api.DELETE(VERSION, { params: { path: atVersion(ref) } }));
}

export function commitVersion(ref: VersionRef, note: string) {
  return unwrap(api.POST(`${VERSION}/commit`, { params: { path: atVersion(ref) }, body: { note } }));
}

export function readLineage(ref: VersionRef, depth: number) {
  return unwrap(api.GET(`${VERSION}/lineage`, { params: { path: atVersion(ref), query: { depth } } }));
}

/** What changed since the version `older`. */
export function compareVersions(ref: VersionRef, older: number, cursor?: string) {
  return unwrap(api.GET(`${VERSION}/compare`, { params: { path: atVersion(ref), query: { with: String(older), limit: 200, cursor } } }));
}

export function importGit(ref: VersionRef, body: { url: string; ref?: string; subdir?: string }) {
  return unwrap(api.POST(`${VERSION}/import-git`, { params: { path: atVersion(ref) }, body }));
}

/** An address, good for some minutes, at which a model file is drawn. */
export function openViewer(ref: VersionRef, path: string) {
  return unwrap(api.POST(`${VERSION}/viewer`, { params: { path: atVersion(ref) }, body: { path, viewer: "netron" } }));
}
