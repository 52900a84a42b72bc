/** Shapes of workloads on the wire. */
export type WorkloadState = "pending" | "starting" | "running" | "stopping" | "completed" | "failed" | "stopped";

export type StopReason =
  | "finished"
  | "exit_code"
  | "user"
  | "time_limit"
  | "idle"
  | "quota"
  | "node_lost"
  | "out_of_memory"
  | "preempted"
  | "launch_failed"
  | "log_full"
  | "deleted";

export interface Resources {
  cpus: number;
  memory_bytes: number;
  accelerator: string | null;
  accelerators: number;
  fabrics: string[];
}

export interface NodeView {
  index: number;
  host_name: string;
  machine: string;
  state: string;
  exit_code: number | null;
  devices: string[];
}

export interface WaitingView {
  code: string;
  text: string;
  resource: string | null;
  place: number;
  of: number;
}

export interface WaitingDetail extends WaitingView {
  holders: HolderView[];
  smallest_change: string;
}

/** Somebody who holds what is short; what is of another project has no name. */
export interface HolderView {
  id: string | null;
  name: string | null;
  kind: string;
  project: string | null;
  amount: number;
}

export interface WorkloadView {
  id: string;
  kind: string;
  owner_id: string;
  name: string;
  project: string;
  state: WorkloadState;
  stop_reason: string | null;
  message: string;
  exit_code: number | null;
  attempt: number;
  retries: number;
  retries_used: number;
  priority: "low" | "normal" | "high";
  preemptible: boolean;
  spec: string | null;
  resources: Resources;
  nodes_count: number;
  nodes: NodeView[];
  image: string | null;
  command: string[];
  time_limit_s: number | null;
  idle_limit_s: number | null;
  window: string[] | null;
  created_at: string;
  created_by: string;
  started_at: string | null;
  ended_at: string | null;
  waiting: WaitingView | null;
  place: number | null;
  outputs_state: string;
  output_version_id: string | null;
}

export interface WorkloadEvent {
  id: string;
  at: string;
  from_state: WorkloadState | null;
  to_state: WorkloadState;
  reason: string | null;
  message: string;
  by: string;
  attempt: number;
}

export interface LogPiece {
  text: string;
  offset: number;
  next_offset: number;
  end_offset: number;
  is_over: boolean;
}

export interface LogLine {
  offset: number;
  at: string | null;
  text: string;
}

export interface UsagePoint {
  at: string;
  cpus: number;
  memory_bytes: number;
  disk_read_bytes_s: number;
  disk_write_bytes_s: number;
  net_read_bytes_s: number;
  net_write_bytes_s: number;
  devices: Record<string, { busy?: number; memory_bytes?: number }>;
}

export interface UsageView {
  points: UsagePoint[];
  limits: { cpus: number; memory_bytes: number };
}

export interface WorkloadRef {
  project: string;
  id: string;
}
