/** What the upload engine needs from the server. */
import type { Attachment } from "../api";
import type { HashedFile } from "./plan";

export interface Content {
  sha256: string;
  size_bytes: number;
}

export interface OpenUpload {
  id: string;
  state: "open" | "complete";
  offset: number;
  chunk_bytes: number;
}

export interface UploadWire {
  /** Which of these contents the server does not have. */
  findMissing(contents: Content[], signal: AbortSignal): Promise<Set<string>>;
  sendBatch(files: HashedFile[], signal: AbortSignal, onProgress: (bytes: number) => void): Promise<void>;
  /** The caller's open upload of this content if there is one, so that a broken one goes on where it was. */
  openUpload(content: Content & { name: string }, signal: AbortSignal): Promise<OpenUpload>;
  readUpload(id: string, signal: AbortSignal): Promise<OpenUpload>;
  sendChunk(id: string, offset: number, body: Blob, signal: AbortSignal, onProgress: (bytes: number) => void): Promise<OpenUpload>;
  dropUpload(id: string): Promise<void>;
  attach(entries: Attachment[], signal: AbortSignal): Promise<void>;
  makeFolder(path: string, signal: AbortSignal): Promise<void>;
  /** All files that could be sent are attached. */
  finish?(signal: AbortSignal): Promise<void>;
}
