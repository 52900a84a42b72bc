/** The bytes of a file, or of its beginning. */
import { useQuery } from "@tanstack/react-query";
import { guardedFetch } from "@/api/client";
import { ApiFailure } from "@/api/failure";
import { fileAddress, versionAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";

export interface FilePart {
  bytes: Uint8Array<ArrayBuffer>;
  /** The file goes on after these bytes. */
  isCut: boolean;
}

/** At most `limit` bytes from the beginning. */
export async function fetchBeginning(ref: VersionRef, path: string, limit: number, signal?: AbortSignal): Promise<FilePart> {
  const response = await guardedFetch(fileAddress(ref, path), { headers: { Range: `bytes=0-${limit - 1}` }, signal });
  // An empty file has no byte to ask for.
  if (response.status === 416) return { bytes: new Uint8Array(), isCut: false };
  if (!response.ok) throw await ApiFailure.from(response);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.length);
  return { bytes, isCut: total > bytes.length };
}

export async function fetchBlob(ref: VersionRef, path: string, type: string, signal?: AbortSignal): Promise<Blob> {
  const response = await guardedFetch(fileAddress(ref, path), { signal });
  if (!response.ok) throw await ApiFailure.from(response);
  return new Blob([await response.arrayBuffer()], { type });
}

/** Keyed by the content's digest: what is under it never changes, so it is never asked for twice. */
export function useBeginning(ref: VersionRef, path: string, digest: string, limit: number) {
  return useQuery({
    queryKey: ["file-part", versionAddress(ref), path, digest, limit],
    queryFn: ({ signal }) => fetchBeginning(ref, path, limit, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** UTF-8, or what a byte-order mark says. A character cut in two at the end is left out. */
export function decodeText({ bytes, isCut }: FilePart): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes, { stream: isCut });
}
