/** Shapes of the overview on the wire. */
import type { WorkloadState } from "@/features/workloads/types";

export interface ResourceUse {
  /** `cpu`, `memory`, or the kind of an accelerator. */
  name: string;
  capacity: number;
  /** Held by workloads. */
  used: number;
}

export interface OverviewView {
  counts: Record<"datasets" | "algorithms" | "models" | "images", number>;
  workloads: Partial<Record<WorkloadState, number>>;
  resources: ResourceUse[];
}

export interface UsageCurves {
  points: { at: string; resources: Record<string, { capacity: number; used: number }> }[];
}
