/** What the task form holds, and how it becomes what the server takes. */
import { declaredBody } from "@/features/models/manifest/declared-values";
import type { Values } from "@/features/models/manifest/manifest-values";
import { formatValue, parseValue } from "./parameters";
import type { Pair } from "./parameters";
import type { Launcher, Priority, TaskBody, TaskView } from "./types";

export const COMMAND_MAX = 3000;
const CODE = "algorithm:";
export const DATA = "dataset:";

export interface TaskValues {
  name: string;
  description: string;
  algorithm: string | null;
  models: (string | null)[];
  /** Further algorithms. */
  inputs: (string | null)[];
  datasets: (string | null)[];
  image: string | null;
  spec: string | null;
  nodes: number;
  launcher: Launcher;
  processes_per_node: number | null;
  command: string;
  save_model: string;
  priority: Priority;
  preemptible: boolean;
  retries: number;
  time_limit_s: number | null;
  hasWindow: boolean;
  window?: { start: string | null; end: string | null; zone: string };
  environment: Pair[];
  parameters: Pair[];
  /** Of the chosen algorithm, where it says what it takes. */
  declared?: Values;
}

export function newTask(): TaskValues {
  return {
    name: "",
    description: "",
    algorithm: null,
    models: [],
    inputs: [],
    datasets: [],
    image: null,
    spec: null,
    nodes: 1,
    launcher: "command",
    processes_per_node: null,
    command: "",
    save_model: "",
    priority: "normal",
    preemptible: false,
    retries: 0,
    time_limit_s: null,
    hasWindow: false,
    window: { start: null, end: null, zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    environment: [],
    parameters: [],
  };
}

export function valuesOf(task: TaskView): TaskValues {
  return {
    ...newTask(),
    ...task,
    inputs: ofKind(task, CODE),
    datasets: ofKind(task, DATA),
    save_model: task.save_model ?? "",
    hasWindow: task.window !== null,
    window: task.window ?? newTask().window,
    environment: Object.entries(task.environment).map(([name, value]) => ({ name, value })),
    parameters: Object.entries(task.parameters).map(([name, value]) => ({ name, value: formatValue(value) })),
  };
}

/** `kept`: inputs of kinds that this form has no field for; they stay as they are. */
export function bodyOf(values: TaskValues, kept: string[] = []): TaskBody {
  const { window, hasWindow } = values;
  return {
    name: values.name.trim(),
    description: values.description,
    algorithm: values.algorithm ?? null,
    models: given(values.models),
    inputs: [...given(values.inputs).map((ref) => CODE + ref), ...given(values.datasets).map((ref) => DATA + ref), ...kept],
    image: values.image ?? null,
    spec: values.spec ?? null,
    nodes: values.nodes,
    launcher: values.launcher,
    processes_per_node: values.launcher === "command" ? null : (values.processes_per_node ?? null),
    command: values.command,
    save_model: values.save_model.trim() || null,
    priority: values.priority,
    preemptible: values.preemptible,
    retries: values.retries,
    time_limit_s: values.time_limit_s ?? null,
    window: hasWindow && window?.start && window.end ? { start: window.start, end: window.end, zone: window.zone } : null,
    environment: Object.fromEntries(named(values.environment).map(({ name, value }) => [name.trim(), value ?? ""])),
    parameters: { ...declaredBody(values.declared), ...Object.fromEntries(named(values.parameters).map(({ name, value }) => [name.trim(), parseValue(value ?? "")])) },
  };
}

export function keptInputs(task: TaskView): string[] {
  return task.inputs.filter((input) => !input.startsWith(CODE) && !input.startsWith(DATA));
}

function ofKind(task: TaskView, prefix: string): string[] {
  return task.inputs.filter((input) => input.startsWith(prefix)).map((input) => input.slice(prefix.length));
}

function given(refs: (string | null)[]): string[] {
  return refs.filter((ref): ref is string => Boolean(ref));
}

function named(pairs: Pair[]): Pair[] {
  return pairs.filter((pair) => pair?.name?.trim());
}
