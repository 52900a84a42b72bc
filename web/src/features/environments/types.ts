/** Shapes of dev environments on the wire. */
import type { WorkloadState, WorkloadView } from "@/features/workloads/types";

export interface EnvironmentInput {
  kind: "algorithm" | "model";
  ref: string;
  target: string;
}

export interface EnvironmentSsh {
  is_enabled: boolean;
  command: string;
  host: string;
  port: number;
  user: string;
  /** Only in the answer that set it. */
  password: string | null;
}

export interface EnvironmentView {
  id: string;
  name: string;
  description: string;
  state: WorkloadState;
  image: string;
  spec: string | null;
  nodes: number;
  inputs: EnvironmentInput[];
  time_limit_s: number | null;
  idle_limit_s: number | null;
  stops_at: string | null;
  warning: { kind: "idle" | "time_limit"; text: string; stops_at: string } | null;
  ssh: EnvironmentSsh;
  workload: WorkloadView | null;
  created_by: string;
  created_at: string;
}

export interface EnvironmentBody {
  name: string;
  description: string;
  algorithms: string[];
  models: string[];
  image: string | null;
  spec: string | null;
  nodes: number;
  time_limit_s: number | null;
  idle_limit_s: number | null;
  password: string | null;
  start: boolean;
}

/** The image that an environment is being saved as. */
export interface SavedImage {
  id: string;
  name: string;
  version: string;
}

export type EnvironmentApp = "jupyter" | "tensorboard" | "port";
