/** Short names for the wire types of workloads. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type WorkloadView = Schemas["WorkloadView"];
export type WorkloadState = WorkloadView["state"];
export type NodeView = WorkloadView["nodes"][number];
export type WaitingDetail = Schemas["WaitingDetailView"];
export type HolderView = Schemas["HolderView"];
export type WorkloadEvent = Schemas["EventView"];
export type LogPiece = Schemas["LogView"];
export type LogLine = Schemas["LogLineView"];
export type UsageView = Schemas["UsageView"];
export type UsagePoint = Schemas["UsagePointView"];

/** Reasons that pages have words for. */
export type StopReason =
  | "finished"
  | "exit_code"
  | "user"
  | "time_limit"
  | "idle"
  | "node_lost"
  | "out_of_memory"
  | "preempted"
  | "launch_failed"
  | "log_full"
  | "deleted";

export interface WorkloadRef {
  project: string;
  id: string;
}
