/** The same as a command: imports and exports. Keys and passwords are never written into one: it takes them from the environment. */
import { shellQuote } from "@/lib/shell";
import { exportOptions, SPLIT_FORMAT } from "../exports/export-values";
import type { ExportValues } from "../exports/export-values";
import { filledColumns, formatOf, importOptions } from "../imports/import-values";
import type { ImportValues, SourceValues } from "../imports/import-values";
import type { DatasetVersionRef } from "../types";

const MOST_NAMES = 3;

export function importCommand(of: DatasetVersionRef, values: ImportValues): string {
  const source = values.source ?? {};
  const words = [...secretsOf(values.from, source), "tidemill dataset import", shellQuote(`${of.dataset}@${of.version}`), ...sourceWords(values.from, source)];
  const format = formatOf(values);
  if (format) words.push("--format", shellQuote(format));
  words.push(...optionWords(importOptions(values)));
  if (values.existing && values.existing !== "keep") words.push("--existing", values.existing);
  if (values.folder?.trim()) words.push("--folder", shellQuote(values.folder.trim()));
  words.push(...videoWords(values));
  if (values.dryRun) words.push("--dry-run");
  words.push("--wait", "--project", shellQuote(of.project));
  return words.join(" ");
}

export function exportCommand(of: DatasetVersionRef, values: ExportValues): string {
  const words = ["tidemill dataset export", shellQuote(`${of.dataset}@${of.version}`), "--format", shellQuote(values.format || "FORMAT")];
  if (values.withData) words.push("--with-data");
  for (const state of values.states ?? []) words.push("--state", state);
  if (values.format === SPLIT_FORMAT) words.push("--test-ratio", String((values.testPercent ?? 0) / 100), "--seed", String(values.seed ?? 0));
  else words.push(...optionWords(exportOptions(values)));
  if (values.fresh) words.push("--fresh");
  words.push("--project", shellQuote(of.project));
  return words.join(" ");
}

function sourceWords(from: ImportValues["from"], source: SourceValues): string[] {
  switch (from) {
    case "upload":
      return fileWords(source);
    case "server":
      return ["--server-path", shellQuote(source.path?.trim() || "PATH")];
    case "s3":
      return ["--s3", shellQuote([source.bucket?.trim() || "BUCKET", source.prefix?.trim()].filter(Boolean).join("/")), ...(source.endpoint?.trim() ? ["--endpoint", shellQuote(source.endpoint.trim())] : [])];
    case "database":
      return databaseWords(source);
    case "addresses":
      return ["--addresses", "addresses.txt"];
    case "dataset":
      return ["--dataset", shellQuote(source.dataset || "NAME"), ...(source.with_annotations === false ? ["--without-annotations"] : [])];
  }
}

/** What was chosen, by its outermost names: a folder is sent whole. */
function fileWords({ files }: SourceValues): string[] {
  const tops = [...new Set((files?.files ?? []).map(({ path }) => path.split("/")[0] ?? path))];
  return tops.length === 0 || tops.length > MOST_NAMES ? ["FILES…"] : tops.map(shellQuote);
}

function databaseWords({ type = "postgresql", host, port, database, user, query, columns, tls }: SourceValues): string[] {
  const at = `${encodeURIComponent(user?.trim() || "USER")}@${host?.trim() || "HOST"}${port ? `:${port}` : ""}`;
  return [
    "--database",
    shellQuote(`${type}://${at}/${encodeURIComponent(database?.trim() || "NAME")}`),
    "--query",
    shellQuote(query?.trim() || "SELECT …"),
    ...Object.entries(filledColumns(columns)).flatMap(([role, name]) => ["--column", shellQuote(`${role}=${name}`)]),
    ...(tls && tls !== "prefer" ? ["--tls", tls] : []),
  ];
}

function secretsOf(from: ImportValues["from"], source: SourceValues): string[] {
  if (from === "database" && source.password) return ["TIDEMILL_DATABASE_PASSWORD=…"];
  if (from !== "s3") return [];
  return [...(source.region?.trim() ? [`AWS_REGION=${shellQuote(source.region.trim())}`] : []), ...(source.access_key?.trim() ? ["AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…"] : [])];
}

function videoWords({ frames, framesValue, maxFrames }: ImportValues): string[] {
  if (!frames || frames === "whole" || !framesValue) return [];
  const flag = { fps: "--fps", every_s: "--every", scene: "--scene" }[frames];
  return [flag, String(framesValue), ...(maxFrames ? ["--max-frames", String(maxFrames)] : [])];
}

function optionWords(options: Record<string, unknown>): string[] {
  return Object.keys(options).length === 0 ? [] : ["--options", shellQuote(JSON.stringify(options))];
}
