/** What the import form holds, and how it becomes what the server takes. */
import type { Attachment } from "@/features/files/api";
import type { Picked } from "@/features/files/upload/pick";
import { parseRef } from "@/features/workloads/asset-ref";
import type { ImportCreate } from "../types";
import { filledOptions, readerOptions } from "../works/format-options";
import type { OptionValues } from "../works/format-options";

export const FROM = ["upload", "server", "s3", "database", "addresses", "dataset"] as const;
export type From = (typeof FROM)[number];
export const FRAMES = ["whole", "fps", "every_s", "scene"] as const;
export type Frames = (typeof FRAMES)[number];
export const FILES_MAX = 5000;
export const ADDRESSES_MAX = 20_000;

export interface Columns {
  content?: string;
  path?: string;
  label?: string;
  annotations?: string;
  split?: string;
  separator?: string;
}

/** Fields of all kinds of sources side by side, under the names the server has for them; those of the chosen kind count. */
export interface SourceValues {
  files?: Picked | null;
  path?: string;
  bucket?: string;
  prefix?: string;
  endpoint?: string;
  region?: string;
  access_key?: string;
  secret_key?: string;
  type?: "mysql" | "postgresql";
  host?: string;
  port?: number | null;
  database?: string;
  user?: string;
  password?: string;
  query?: string;
  columns?: Columns;
  tls?: "prefer" | "require" | "off";
  addresses?: string;
  dataset?: string | null;
  with_annotations?: boolean;
}

export interface ImportValues {
  from: From;
  source: SourceValues;
  format: string | null;
  existing: "keep" | "replace" | "merge";
  folder: string;
  frames: Frames;
  framesValue: number | null;
  maxFrames: number | null;
  dryRun: boolean;
  options?: OptionValues;
}

export function newImport(dataType: string): ImportValues {
  return {
    from: "upload",
    source: { files: null, type: "postgresql", tls: "prefer", with_annotations: true },
    format: null,
    existing: "keep",
    folder: "",
    frames: dataType === "video" ? "fps" : "whole",
    framesValue: dataType === "video" ? 1 : null,
    maxFrames: null,
    dryRun: false,
  };
}

/** Whether files come from there, in one format or another. */
export function hasFormat(from: From): boolean {
  return from !== "database" && from !== "dataset";
}

/** `sent`: the files of an upload, once the server has them. */
export function importBody(values: ImportValues, sent: Attachment[] = []): ImportCreate {
  return {
    source: sourceOf(values, sent),
    format: formatOf(values),
    options: importOptions(values),
    existing: values.existing,
    folder: trimmed(values.folder),
    video: videoOf(values),
    dry_run: values.dryRun,
  };
}

export function formatOf({ from, format }: ImportValues): string | null {
  return hasFormat(from) ? (format ?? null) : null;
}

export function importOptions(values: ImportValues): Record<string, unknown> {
  return filledOptions(readerOptions(formatOf(values)), values.options);
}

/** Columns of a query that were named. */
export function filledColumns(columns: Columns | undefined): Columns {
  return Object.fromEntries(Object.entries(columns ?? {}).filter(([, name]) => name?.trim()));
}

function sourceOf({ from, source }: ImportValues, sent: Attachment[]): ImportCreate["source"] {
  switch (from) {
    case "upload":
      return { type: "upload", files: sent.map(({ path, sha256, size_bytes }) => ({ name: path, sha256, size_bytes })) };
    case "server":
      return { type: "server", path: source.path?.trim() ?? "" };
    case "s3":
      return {
        type: "s3",
        bucket: source.bucket?.trim() ?? "",
        prefix: source.prefix?.trim() ?? "",
        endpoint: trimmed(source.endpoint),
        region: trimmed(source.region),
        access_key: trimmed(source.access_key),
        secret_key: trimmed(source.secret_key),
      };
    case "database":
      return {
        type: source.type ?? "postgresql",
        host: source.host?.trim() ?? "",
        port: source.port ?? null,
        database: source.database?.trim() ?? "",
        user: source.user?.trim() ?? "",
        password: source.password ?? "",
        query: source.query ?? "",
        columns: filledColumns(source.columns),
        tls: source.tls ?? "prefer",
        limit: 10_000_000,
      };
    case "addresses":
      return { type: "addresses", addresses: parseAddresses(source.addresses ?? "") };
    case "dataset": {
      const { isPublic, name, version } = parseRef(source.dataset ?? "");
      return { type: "dataset", project: isPublic ? "public" : null, dataset: name, version: version === null ? "latest" : String(version), with_annotations: source.with_annotations ?? true };
    }
  }
}

/** One address a line, with its label after a space, a tab or a comma where there is one. */
export function parseAddresses(text: string): { url: string; label?: string }[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, url = line, label = ""] = /^(\S+?)(?:[\s,]+(.*))?$/.exec(line) ?? [];
      return label.trim() === "" ? { url } : { url, label: label.trim() };
    });
}

function videoOf({ frames, framesValue, maxFrames }: ImportValues): ImportCreate["video"] {
  if (frames === "whole" || framesValue === null) return null;
  return { [frames]: framesValue, ...(maxFrames === null ? {} : { max_frames: maxFrames }) };
}

function trimmed(text: string | undefined): string | null {
  return text?.trim() || null;
}
