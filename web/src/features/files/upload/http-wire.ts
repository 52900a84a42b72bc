/** The upload engine's way to the real server. */
import { call } from "@/features/assets/api";
import { makeFolder } from "../api";
import { versionAddress } from "../version-ref";
import type { VersionRef } from "../version-ref";
import { batchBody } from "./plan";
import { sendBytes } from "./send-bytes";
import type { OpenUpload, UploadWire } from "./wire";

export function httpWire(ref: VersionRef): UploadWire {
  const project = `/api/v1/projects/${encodeURIComponent(ref.project)}`;
  return {
    findMissing: async (contents) => {
      const unique = [...new Map(contents.map((content) => [content.sha256, content])).values()];
      const { missing } = await call<{ missing: string[] }>("POST", `${project}/blobs/missing`, { blobs: unique });
      return new Set(missing);
    },
    sendBatch: async (files, signal, onProgress) => {
      await sendBytes({
        method: "POST",
        address: `${project}/blobs/batch`,
        body: batchBody(files),
        contentType: "application/x-tidemill-batch",
        signal,
        onProgress,
      });
    },
    openUpload: (content) => call<OpenUpload>("POST", `${project}/uploads`, content),
    readUpload: (id) => call<OpenUpload>("GET", `${project}/uploads/${id}`),
    sendChunk: (id, offset, body, signal, onProgress) =>
      sendBytes<OpenUpload>({
        method: "PUT",
        address: `${project}/uploads/${id}/chunk?offset=${offset}`,
        body,
        contentType: "application/octet-stream",
        signal,
        onProgress,
      }),
    dropUpload: (id) => call("DELETE", `${project}/uploads/${id}`),
    attach: (entries) => call("POST", `${versionAddress(ref)}/files/attach`, { entries }),
    makeFolder: (path) => makeFolder(ref, path),
  };
}
