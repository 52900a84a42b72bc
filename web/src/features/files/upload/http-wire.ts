/** The upload engine's way to the real server. */
import { api, unwrap } from "@/api/client";
import { attachFiles, makeFolder } from "../api";
import type { VersionRef } from "../version-ref";
import { batchBody } from "./plan";
import { sendBytes } from "./send-bytes";
import type { OpenUpload, UploadWire } from "./wire";

/** Into a draft of an asset. */
export function httpWire(ref: VersionRef): UploadWire {
  return {
    ...contentWire(ref.project),
    attach: async (entries, signal) => {
      await attachFiles(ref, entries, signal);
    },
    makeFolder: async (path, signal) => {
      await makeFolder(ref, path, signal);
    },
  };
}

/** Into a project's store; what the content then becomes part of is another matter. */
export function contentWire(project: string): Omit<UploadWire, "attach" | "makeFolder"> {
  const base = `/api/v1/projects/${encodeURIComponent(project)}`;
  return {
    findMissing: async (contents, signal) => {
      const blobs = [...new Map(contents.map((content) => [content.sha256, content])).values()];
      const { missing } = await unwrap(api.POST("/api/v1/projects/{project}/blobs/missing", { params: { path: { project } }, body: { blobs }, signal }));
      return new Set(missing);
    },
    sendBatch: async (files, signal, onProgress) => {
      const body = batchBody(files);
      await sendBytes({ method: "POST", address: `${base}/blobs/batch`, body, contentType: "application/x-tidemill-batch", signal, onProgress });
    },
    openUpload: (body, signal) => unwrap(api.POST("/api/v1/projects/{project}/uploads", { params: { path: { project } }, body, signal })),
    readUpload: (upload, signal) => unwrap(api.GET("/api/v1/projects/{project}/uploads/{upload}", { params: { path: { project, upload } }, signal })),
    sendChunk: (id, offset, body, signal, onProgress) =>
      sendBytes<OpenUpload>({ method: "PUT", address: `${base}/uploads/${id}/chunk?offset=${offset}`, body, contentType: "application/octet-stream", signal, onProgress }),
    dropUpload: async (upload) => {
      await unwrap(api.DELETE("/api/v1/projects/{project}/uploads/{upload}", { params: { path: { project, upload } } }));
    },
  };
}
