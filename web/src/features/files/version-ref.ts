/** Which version of which asset; everything about files is addressed by it. */
import type { KindSegment } from "@/features/assets/kinds";

export interface VersionRef {
  project: string;
  kind: KindSegment;
  asset: string;
  version: number;
}

export function versionAddress({ project, kind, asset, version }: VersionRef): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/${kind}/${encodeURIComponent(asset)}/versions/${version}`;
}

export function fileAddress(ref: VersionRef, path: string, isDownload = false): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `${versionAddress(ref)}/files/${encoded}${isDownload ? "?download=1" : ""}`;
}

export function archiveAddress(ref: VersionRef, format: "zip" | "tar", path = ""): string {
  const query = new URLSearchParams({ format, ...(path && { path }) });
  return `${versionAddress(ref)}/archive?${query}`;
}
