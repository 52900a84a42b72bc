/** Writes a text file, refusing to overwrite what somebody else wrote meanwhile. */
import { guardedFetch } from "@/api/client";
import { ApiFailure } from "@/api/failure";
import { fileAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";

export interface SavedFile {
  digest: string;
  size_bytes: number;
}

/** `base`: the digest it must still have; null when it must not exist yet. */
export async function saveFile(ref: VersionRef, path: string, text: string, base: string | null): Promise<SavedFile> {
  const headers = new Headers({ "Content-Type": "application/octet-stream" });
  if (base === null) headers.set("If-None-Match", "*");
  else headers.set("If-Match", `"${base}"`);
  const response = await guardedFetch(fileAddress(ref, path), { method: "PUT", body: text, headers });
  if (!response.ok) throw await ApiFailure.from(response);
  return (await response.json()) as SavedFile;
}
