/** The form of an auto-annotation, and what is sent of it. */
import type { DatasetVersionRef } from "@/features/datasets/types";
import { shellQuote } from "@/lib/shell";
import type { AskedState, AutoCreate, MappedLabel, MappingView, Source, Target } from "./types";

/** A service is one of the project's own, by its name, or any address. */
export type From = Source["type"] | "address";

export const FROMS: readonly From[] = ["preset", "model", "service", "address"];
export const ASKED_STATES: readonly AskedState[] = ["unlabelled", "suggested"];

export interface AutoValues {
  from: From;
  preset?: string | null;
  model?: string | null;
  service?: string | null;
  url?: string;
  serviceModel?: string;
  token?: string;
  /** Only what was chosen by hand; everything else is as it was suggested. */
  mapping?: Record<string, Target>;
  /** Labels that match none of ours are made. */
  makeLabels: boolean;
  thresholdPercent: number;
  states: AskedState[];
  labelErrors: boolean;
  spec?: string | null;
}

export function newAuto(given: { model?: string | null; preset?: string | null; service?: string | null }): AutoValues {
  const from: From = given.service ? "service" : given.model ? "model" : "preset";
  return { from, service: given.service ?? undefined, preset: given.preset ?? undefined, model: given.model ?? undefined, makeLabels: false, thresholdPercent: 50, states: ["unlabelled", "suggested"], labelErrors: true };
}

/** Null while something is missing. */
export function sourceOf({ from, preset, model, service, url, serviceModel, token }: Partial<AutoValues>): Source | null {
  if (from === "preset") return preset ? { type: "preset", preset } : null;
  if (from === "model") return model ? { type: "model", model } : null;
  if (from === "service") return service ? { type: "service", service, ...(serviceModel?.trim() ? { model: serviceModel.trim() } : {}) } : null;
  if (!isAddress(url) || !serviceModel?.trim()) return null;
  return { type: "service", url: url.trim(), model: serviceModel.trim(), ...(token ? { token } : {}) };
}

export function isAddress(text: string | undefined): text is string {
  return /^https?:\/\/[^\s/]+/.test(text?.trim() ?? "");
}

/** What becomes of a label of the model: chosen by hand, else the suggestion, else made or left out. */
export function targetOf(label: MappedLabel, { mapping, makeLabels }: Pick<AutoValues, "mapping" | "makeLabels">): Target {
  const chosen = mapping?.[label.name];
  if (chosen !== undefined) return chosen;
  return label.suggested?.number ?? (makeLabels ? label.name : null);
}

export function mappingOf(labels: readonly MappedLabel[], values: Pick<AutoValues, "mapping" | "makeLabels">): Record<string, Target> {
  return Object.fromEntries(labels.map((label) => [label.name, targetOf(label, values)]));
}

export function autoBody(values: AutoValues, found: MappingView | undefined): AutoCreate {
  const source = sourceOf(values);
  if (!source) throw new Error("a form without a source is not sent");
  const mapping = found && mappingOf(found.labels, values);
  return {
    source,
    ...(mapping && Object.keys(mapping).length > 0 ? { mapping } : {}),
    make_labels: values.makeLabels || Object.values(mapping ?? {}).some((target) => typeof target === "string"),
    threshold: values.thresholdPercent / 100,
    states: values.states,
    label_errors: values.labelErrors,
    spec: values.spec ?? null,
  };
}

export interface MappingCounts {
  mapped: number;
  made: number;
  left: number;
}

export function countTargets(mapping: Record<string, Target>): MappingCounts {
  const targets = Object.values(mapping);
  const count = (isIt: (target: Target) => boolean) => targets.filter(isIt).length;
  return { mapped: count((target) => typeof target === "number"), made: count((target) => typeof target === "string"), left: count((target) => target === null) };
}

/** The same as a command. Where something was chosen by hand, the whole mapping is said: what is not said is left out then. */
export function autoCommand(of: DatasetVersionRef, values: AutoValues, labels: readonly MappedLabel[], names: ReadonlyMap<number, string>): string {
  const words = ["tidemill dataset auto-annotate", shellQuote(`${of.dataset}@${of.version}`), ...sourceWords(values)];
  const isByHand = Object.values(values.mapping ?? {}).some((target) => target !== undefined);
  const mapping = isByHand ? mappingOf(labels, values) : {};
  for (const [name, target] of Object.entries(mapping)) if (target !== null) words.push("--map", shellQuote(`${name}=${targetName(target, names)}`));
  if (values.makeLabels || Object.values(mapping).some((target) => typeof target === "string")) words.push("--make-labels");
  words.push("--threshold", String((values.thresholdPercent ?? 0) / 100));
  if (!values.labelErrors) words.push("--no-label-errors");
  if (values.spec) words.push("--spec", shellQuote(values.spec));
  words.push("--wait", "--project", shellQuote(of.project));
  return words.join(" ");
}

function sourceWords({ from, preset, model, service, url, serviceModel }: AutoValues): string[] {
  if (from === "preset") return ["--preset", shellQuote(preset || "NAME")];
  if (from === "model") return ["--model", shellQuote(model || "NAME@VERSION")];
  if (from === "service") return ["--service", shellQuote(service || "NAME"), ...(serviceModel?.trim() ? ["--service-model", shellQuote(serviceModel.trim())] : [])];
  return ["--service", shellQuote(url?.trim() || "URL"), "--service-model", shellQuote(serviceModel?.trim() || "NAME")];
}

function targetName(target: number | string, names: ReadonlyMap<number, string>): string {
  return typeof target === "number" ? (names.get(target) ?? String(target)) : target;
}
