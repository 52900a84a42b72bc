/** What the deploy form holds, and how it becomes what the server takes. */
import type { Pair } from "@/features/training/parameters";
import type { DeploySource, ServiceCreate } from "./types";

export type SourceKind = "model" | "package" | "run";

/** A secret: one that is there already can be kept without anybody knowing its value. */
export interface SecretPair extends Pair {
  isKept?: boolean;
}

export interface DeployValues {
  kind: SourceKind;
  model: string | null;
  package: string | null;
  run: string;
  spec: string | null;
  replicas: number | null;
  environment: Pair[];
  secrets: SecretPair[];
}

export interface ServiceValues extends DeployValues {
  name: string;
  description: string;
  access: "key" | "open";
  cors: string[];
  body_max_bytes: number | null;
  timeout_s: number | null;
  rate_per_s: number | null;
}

export const BODY_MAX = 64 * 1024 ** 2;
export const TIMEOUT_S = 60;

export function newService(source: DeploySource | null): ServiceValues {
  return { name: nameFor(source), description: "", ...deployOf(source), access: "key", cors: [], body_max_bytes: BODY_MAX, timeout_s: TIMEOUT_S, rate_per_s: null };
}

export function deployOf(source: DeploySource | null): DeployValues {
  const none = { kind: "model" as const, model: null, package: null, run: "", spec: null, replicas: 1, environment: [], secrets: [] };
  if (source === null) return none;
  if ("package" in source) return { ...none, kind: "package", package: source.package };
  return "model" in source ? { ...none, model: source.model } : { ...none, kind: "run", run: source.run };
}

/** What the address asks to deploy. */
export function sourceIn(params: URLSearchParams): DeploySource | null {
  const given = (["package", "model", "run"] as const).find((kind) => params.get(kind));
  return given ? ({ [given]: params.get(given) } as DeploySource) : null;
}

export function sourceBody(values: DeployValues): Pick<ServiceCreate, "package" | "model" | "run"> {
  switch (values.kind) {
    case "model":
      return { model: values.model };
    case "package":
      return { package: values.package };
    case "run":
      return { run: values.run.trim() };
  }
}

export function environmentOf(pairs: Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter((pair) => pair?.name?.trim()).map(({ name, value }) => [name.trim(), value ?? ""]));
}

/** Secrets as a change of a track takes them: new values, null for those taken away, nothing of those left as they are. */
export function secretChanges(before: string[], rows: SecretPair[]): Record<string, string | null> {
  const given = environmentOf(rows);
  const gone = before.filter((name) => !(name in given)).map((name) => [name, null] as const);
  const set = Object.entries(given).filter(([name, value]) => value !== "" || !before.includes(name));
  return Object.fromEntries([...gone, ...set]);
}

export const keptSecrets = (names: string[]): SecretPair[] => names.map((name) => ({ name, value: "", isKept: true }));

export function deployBody(values: DeployValues) {
  return { ...sourceBody(values), spec: values.spec ?? null, replicas: values.replicas ?? 1, environment: environmentOf(values.environment), secrets: environmentOf(values.secrets) };
}

export function bodyOf(values: ServiceValues): ServiceCreate {
  return {
    ...deployBody(values),
    name: values.name.trim(),
    description: values.description,
    access: values.access,
    cors: values.cors,
    body_max_bytes: values.body_max_bytes ?? BODY_MAX,
    timeout_s: values.timeout_s ?? TIMEOUT_S,
    rate_per_s: values.rate_per_s ?? null,
    alerts: [],
  };
}

/** Services are mostly called as what they serve. */
export function nameFor(source: DeploySource | null): string {
  if (source === null || "run" in source) return "";
  const reference = "model" in source ? source.model : source.package;
  return reference.replace(/^public\//, "").replace(/@\d+$/, "");
}
