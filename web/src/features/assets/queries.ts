/** Reading assets and versions, and what to read again after a change. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { versionAddress } from "@/features/files/version-ref";
import type { VersionRef } from "@/features/files/version-ref";
import { getAsset, getVersion, listReferences, listVersions } from "./api";
import type { AssetRef } from "./api";
import type { KindSegment } from "./kinds";

const NEWEST = 5;

export const assetsKey = (project: string, kind: KindSegment) => ["assets", project, kind] as const;
const assetKey = (ref: AssetRef) => [...assetsKey(ref.project, ref.kind), "one", ref.asset] as const;
export const versionsKey = (ref: AssetRef) => [...assetKey(ref), "versions"] as const;
export const treeKey = (ref: VersionRef) => ["tree", versionAddress(ref)] as const;

export const assetQuery = (ref: AssetRef) => queryOptions({ queryKey: [...assetKey(ref), "view"], queryFn: () => getAsset(ref) });

/** The newest five, which is what most people look for. */
export const newestVersionsQuery = (ref: AssetRef) =>
  queryOptions({ queryKey: [...versionsKey(ref), "newest"], queryFn: () => listVersions(ref, { limit: NEWEST }) });

export const versionQuery = (ref: VersionRef) =>
  queryOptions({ queryKey: [...versionsKey(ref), "one", ref.version], queryFn: () => getVersion(ref) });

export const referencesQuery = (ref: AssetRef) => queryOptions({ queryKey: [...assetKey(ref), "references"], queryFn: () => listReferences(ref) });

export function useRefresh() {
  const client = useQueryClient();
  return {
    /** After a change to files: the tree, and the sizes shown with the version and the asset. */
    files: (ref: VersionRef) =>
      Promise.all([client.invalidateQueries({ queryKey: treeKey(ref) }), client.invalidateQueries({ queryKey: assetKey(ref) })]),
    /** After a change to an asset or its versions. */
    asset: (ref: AssetRef) => client.invalidateQueries({ queryKey: assetKey(ref) }),
    /** After assets came or went. */
    assets: (project: string, kind: KindSegment) => client.invalidateQueries({ queryKey: assetsKey(project, kind) }),
  };
}
