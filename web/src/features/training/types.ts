/** Shapes of training on the wire. */
import type { WorkloadState, WorkloadView } from "@/features/workloads/types";

export type Launcher = "command" | "torchrun" | "mpirun";
export type Priority = "low" | "normal" | "high";
export type ParameterValue = boolean | number | string | null;

export interface StartWindow {
  start: string;
  end: string;
  zone: string;
}

export interface TaskSettings {
  algorithm: string | null;
  models: string[];
  inputs: string[];
  image: string | null;
  spec: string | null;
  nodes: number;
  launcher: Launcher;
  processes_per_node: number | null;
  command: string;
  save_model: string | null;
  priority: Priority;
  preemptible: boolean;
  retries: number;
  time_limit_s: number | null;
  window: StartWindow | null;
  environment: Record<string, string>;
  parameters: Record<string, ParameterValue>;
}

export interface TaskBody extends TaskSettings {
  name: string;
  description: string;
}

export interface TaskView extends TaskBody {
  id: string;
  runs_count: number;
  last_run: { id: string; number: number; name: string; state: WorkloadState; created_at: string } | null;
  created_at: string;
  created_by: string;
  updated_at: string;
}

export interface RunView {
  id: string;
  name: string;
  number: number;
  task_id: string;
  task: string;
  state: WorkloadState;
  stop_reason: string | null;
  message: string | null;
  exit_code: number | null;
  attempt: number;
  retries: number;
  resumed_from: string | null;
  settings: TaskSettings;
  workload_id: string;
  workload: WorkloadView | null;
  metrics: Record<string, number | null>;
  /** `name@version` of what it saved. */
  model: string | null;
  created_at: string;
  created_by: string;
  started_at: string | null;
  ended_at: string | null;
}

export type MetricPoint = [step: number, value: number | null, atMs: number];

export interface Series {
  key: string;
  source: "sdk" | "tensorboard" | "log";
  points: MetricPoint[];
  last: number | null;
  last_step: number;
  min: number | null;
  max: number | null;
  count: number;
}

export interface MetricsView {
  series: Series[];
  is_over: boolean;
}

export interface RunFile {
  path: string;
  name: string;
  type: "file" | "dir";
  size_bytes: number;
  updated_at: string;
}

export interface TensorboardView {
  state: "starting" | "open";
  url: string | null;
}
