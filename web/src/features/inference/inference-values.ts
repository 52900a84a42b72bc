/** What the form of an entry holds, and how it becomes what the server takes. */
import type { Scene } from "@/features/assets/kinds";
import type { ItemState } from "@/features/datasets/types";
import { formatValue, parseValue } from "@/features/training/parameters";
import type { Pair } from "@/features/training/parameters";
import type { CodeSettings, Form, InferenceBody, InferenceView, ModelSettings, Source } from "./types";

export const FORMS: readonly Form[] = ["model", "code"];
/** In the order in which items pass through them. */
export const ITEM_STATES: readonly ItemState[] = ["unlabelled", "suggested", "labelled", "rework", "reviewed", "aside"];
export const WORKERS_MAX = 64;
export const IN_FLIGHT = 4;

export type From = "model" | "service" | "address";
export const FROMS: readonly From[] = ["model", "service", "address"];

export interface InferenceValues {
  name: string;
  scene: Scene;
  description: string;
  form: Form;
  spec: string | null;
  priority: ModelSettings["priority"];
  time_limit_s: number | null;
  // Without code.
  from: From;
  model: string | null;
  service: string | null;
  url: string;
  serviceModel: string;
  inFlight: number | null;
  dataset: string | null;
  thresholdPercent: number;
  states: ItemState[];
  workers: number | null;
  // With code.
  algorithm: string | null;
  datasets: (string | null)[];
  models: (string | null)[];
  image: string | null;
  nodes: number;
  launcher: NonNullable<CodeSettings["launcher"]>;
  command: string;
  retries: number;
  environment: Pair[];
  parameters: Pair[];
}

export interface Known {
  model?: string | null;
  dataset?: string | null;
  service?: string | null;
}

export function newInference({ model, dataset, service }: Known = {}): InferenceValues {
  return {
    name: "",
    scene: "other",
    description: "",
    form: "model",
    spec: null,
    priority: "normal",
    time_limit_s: null,
    from: service ? "service" : "model",
    model: model ?? null,
    service: service ?? null,
    url: "",
    serviceModel: "",
    inFlight: null,
    dataset: dataset ?? null,
    thresholdPercent: 50,
    states: [],
    workers: null,
    algorithm: null,
    datasets: [],
    models: [],
    image: null,
    nodes: 1,
    launcher: "command",
    command: "",
    retries: 0,
    environment: [],
    parameters: [],
  };
}

export function valuesOf({ name, scene, description, settings }: InferenceView): InferenceValues {
  const { source } = settings;
  const base = newInference();
  return {
    ...base,
    name,
    scene: scene as Scene,
    description,
    form: settings.form,
    spec: settings.spec ?? null,
    priority: settings.priority,
    time_limit_s: settings.time_limit_s ?? null,
    from: source?.type === "service" ? (source.service ? "service" : "address") : "model",
    model: source?.type === "model" ? (source.model ?? null) : null,
    service: source?.service ?? null,
    url: source?.url ?? "",
    serviceModel: source?.type === "service" ? (source.model ?? "") : "",
    inFlight: source?.in_flight ?? null,
    dataset: settings.dataset ?? null,
    thresholdPercent: Math.round((settings.threshold ?? 0.5) * 100),
    states: (settings.states ?? []) as ItemState[],
    workers: settings.workers ?? null,
    algorithm: settings.algorithm ?? null,
    datasets: settings.datasets ?? [],
    models: settings.models ?? [],
    image: settings.image ?? null,
    nodes: settings.nodes ?? base.nodes,
    launcher: settings.launcher ?? base.launcher,
    command: settings.command ?? "",
    retries: settings.retries ?? base.retries,
    environment: Object.entries(settings.environment ?? {}).map(([key, value]) => ({ name: key, value })),
    parameters: Object.entries(settings.parameters ?? {}).map(([key, value]) => ({ name: key, value: formatValue(value) })),
  };
}

export function bodyOf(values: InferenceValues): InferenceBody {
  return {
    name: values.name.trim(),
    scene: values.scene,
    description: values.description,
    settings: values.form === "code" ? codeSettings(values) : modelSettings(values),
  };
}

function modelSettings(values: InferenceValues): ModelSettings {
  return {
    form: "model",
    source: sourceOf(values),
    dataset: values.dataset ?? "",
    threshold: values.thresholdPercent / 100,
    states: values.states,
    workers: values.workers ?? null,
    ...shared(values),
  };
}

export function sourceOf({ from, model, service, url, serviceModel, inFlight }: InferenceValues): Source {
  if (from === "model") return { type: "model", model: model ?? "" };
  const named = serviceModel.trim() || null;
  const common = { type: "service", model: named, in_flight: inFlight ?? IN_FLIGHT } as const;
  return from === "service" ? { ...common, service: service ?? "" } : { ...common, url: url.trim() };
}

function codeSettings(values: InferenceValues): CodeSettings {
  return {
    form: "code",
    algorithm: values.algorithm ?? null,
    datasets: given(values.datasets),
    models: given(values.models),
    image: values.image ?? null,
    nodes: values.nodes,
    launcher: values.launcher,
    command: values.command,
    retries: values.retries,
    environment: Object.fromEntries(named(values.environment).map(({ name, value }) => [name.trim(), value ?? ""])),
    parameters: Object.fromEntries(named(values.parameters).map(({ name, value }) => [name.trim(), parseValue(value ?? "")])),
    ...shared(values),
  };
}

function shared({ spec, priority, time_limit_s }: InferenceValues) {
  return { spec: spec ?? null, priority, time_limit_s: time_limit_s ?? null };
}

function given(refs: (string | null)[]): string[] {
  return refs.filter((ref): ref is string => Boolean(ref));
}

function named(pairs: Pair[]): Pair[] {
  return pairs.filter((pair) => pair?.name?.trim());
}
