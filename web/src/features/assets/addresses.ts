/** Where assets and versions are shown. */
import { projectPath } from "@/features/projects/current-project";
import type { VersionRef } from "@/features/files/version-ref";
import type { AssetRef } from "./api";
import type { KindSegment } from "./kinds";

export function assetsPath(project: string, kind: KindSegment): string {
  return projectPath(project, kind);
}

export function assetPath({ project, kind, asset }: AssetRef): string {
  return projectPath(project, kind, asset);
}

/** A version's page, at a folder of it when one is given. */
export function versionPath({ project, kind, asset, version }: VersionRef, folder = ""): string {
  const query = folder ? `?${new URLSearchParams({ path: folder })}` : "";
  return `${projectPath(project, kind, asset, "versions", String(version))}${query}`;
}
