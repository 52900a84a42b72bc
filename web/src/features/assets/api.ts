/** Calls about assets and their versions. */
import { guardedFetch } from "@/api/client";
import { ApiFailure } from "@/api/failure";
import type { JobView, Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";
import { versionAddress } from "@/features/files/version-ref";
import type { VersionRef } from "@/features/files/version-ref";
import type { KindSegment } from "./kinds";
import type { AssetView, ChangeView, LineageView, ReferenceView, Signature, VersionView } from "./types";

export interface AssetRef {
  project: string;
  kind: KindSegment;
  asset: string;
}

export async function call<T>(method: string, address: string, body?: unknown, query: Record<string, unknown> = {}): Promise<T> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
  const response = await guardedFetch(`${address}${given.length ? `?${search}` : ""}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  if (!response.ok) throw await ApiFailure.from(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

const listAddress = (project: string, kind: KindSegment) => `/api/v1/projects/${encodeURIComponent(project)}/${kind}`;
const assetAddress = ({ project, kind, asset }: AssetRef) => `${listAddress(project, kind)}/${encodeURIComponent(asset)}`;

export const listAssets = (project: string, kind: KindSegment, { filters, ...query }: ListQuery) =>
  call<Page<AssetView>>("GET", listAddress(project, kind), undefined, { ...query, scene: filters.scene, mine: filters.mine });

export interface AssetCreate {
  name: string;
  scene: AssetView["scene"];
  description?: string;
}
export const createAsset = (project: string, kind: KindSegment, body: AssetCreate) => call<AssetView>("POST", listAddress(project, kind), body);
export const getAsset = (ref: AssetRef) => call<AssetView>("GET", assetAddress(ref));
export const describeAsset = (ref: AssetRef, description: string) => call<AssetView>("PATCH", assetAddress(ref), { description });
export const deleteAsset = (ref: AssetRef) => call<void>("DELETE", assetAddress(ref));
export const copyAsset = (ref: AssetRef, body: { name: string; to_project?: string; version?: number }) => call<AssetView>("POST", `${assetAddress(ref)}/copy`, body);
export const listReferences = (ref: AssetRef) => call<{ items: ReferenceView[] }>("GET", `${assetAddress(ref)}/references`);

export const listVersions = (ref: AssetRef, query: { limit: number; cursor?: string }) =>
  call<Page<VersionView>>("GET", `${assetAddress(ref)}/versions`, undefined, query);
export const createVersion = (ref: AssetRef, body: { from?: string; note?: string }) => call<VersionView>("POST", `${assetAddress(ref)}/versions`, body);

export const getVersion = (ref: VersionRef) => call<VersionView>("GET", versionAddress(ref));
export interface VersionPatch {
  note?: string;
  format?: string | null;
  metrics?: Record<string, number>;
  signature?: Signature | null;
}
export const patchVersion = (ref: VersionRef, body: VersionPatch) => call<VersionView>("PATCH", versionAddress(ref), body);
export const deleteVersion = (ref: VersionRef) => call<void>("DELETE", versionAddress(ref));
export const commitVersion = (ref: VersionRef, note: string) => call<VersionView>("POST", `${versionAddress(ref)}/commit`, { note });
export const readLineage = (ref: VersionRef, depth: number) => call<LineageView>("GET", `${versionAddress(ref)}/lineage`, undefined, { depth });
export const compareVersions = (ref: VersionRef, other: number, cursor?: string) =>
  call<{ items: ChangeView[]; next?: string | null }>("GET", `${versionAddress(ref)}/compare`, undefined, { with: other, limit: 200, cursor });
export const importGit = (ref: VersionRef, body: { url: string; ref?: string; subdir?: string }) => call<JobView>("POST", `${versionAddress(ref)}/import-git`, body);
export const openViewer = (ref: VersionRef, path: string) => call<{ url: string; expires_at: string }>("POST", `${versionAddress(ref)}/viewer`, { path, viewer: "netron" });
