/** Calls about the files of a version. */
import { api, unwrap } from "@/api/client";
import { atVersion } from "@/features/assets/api";
import type { VersionRef } from "./version-ref";

const VERSION = "/api/v1/projects/{project}/{kind}/{asset}/versions/{version}";

export interface TreeQuery {
  path: string;
  q?: string;
  limit: number;
  cursor?: string;
}

export function readTree(ref: VersionRef, query: TreeQuery) {
  return unwrap(api.GET(`${VERSION}/tree`, { params: { path: atVersion(ref), query } }));
}

export function readEntry(ref: VersionRef, path: string) {
  return unwrap(api.GET(`${VERSION}/entry`, { params: { path: atVersion(ref), query: { path } } }));
}

export function deleteFiles(ref: VersionRef, paths: string[]) {
  return unwrap(api.POST(`${VERSION}/files/delete`, { params: { path: atVersion(ref) }, body: { paths } }));
}

export function moveFiles(ref: VersionRef, moves: { from: string; to: string }[], overwrite: boolean) {
  return unwrap(api.POST(`${VERSION}/files/move`, { params: { path: atVersion(ref) }, body: { moves, overwrite } }));
}

export function makeFolder(ref: VersionRef, path: string, signal?: AbortSignal) {
  return unwrap(api.POST(`${VERSION}/files/folder`, { params: { path: atVersion(ref) }, body: { path }, signal }));
}

export interface Attachment {
  path: string;
  sha256: string;
  size_bytes: number;
}

/** Makes content the server already has part of a draft. */
export function attachFiles(ref: VersionRef, entries: Attachment[], signal?: AbortSignal) {
  return unwrap(api.POST(`${VERSION}/files/attach`, { params: { path: atVersion(ref) }, body: { entries }, signal }));
}
