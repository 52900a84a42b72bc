/** Calls about the files of a version. */
import { call } from "@/features/assets/api";
import type { EntryView } from "@/features/assets/types";
import { versionAddress } from "./version-ref";
import type { VersionRef } from "./version-ref";

export interface TreeQuery {
  path: string;
  q?: string;
  limit: number;
  cursor?: string;
}

export interface TreePage {
  items: EntryView[];
  next?: string | null;
  total?: number | null;
}

export const readTree = (ref: VersionRef, query: TreeQuery) => call<TreePage>("GET", `${versionAddress(ref)}/tree`, undefined, { ...query });
export const readEntry = (ref: VersionRef, path: string) => call<EntryView>("GET", `${versionAddress(ref)}/entry`, undefined, { path });
export const deleteFiles = (ref: VersionRef, paths: string[]) => call<void>("POST", `${versionAddress(ref)}/files/delete`, { paths });
export const moveFiles = (ref: VersionRef, moves: { from: string; to: string }[], overwrite = false) =>
  call<void>("POST", `${versionAddress(ref)}/files/move`, { moves, overwrite });
export const makeFolder = (ref: VersionRef, path: string) => call<void>("POST", `${versionAddress(ref)}/files/folder`, { path });
