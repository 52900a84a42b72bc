/** What each state means to the pages; a new state does not compile until it has an answer here. */
import type { BadgeTone } from "@/ui/StateBadge";
import type { WorkloadState } from "./types";

export const TONES: Record<WorkloadState, BadgeTone> = {
  pending: "waiting",
  starting: "starting",
  running: "running",
  stopping: "stopping",
  completed: "completed",
  failed: "failed",
  stopped: "stopped",
};

const ENDED: Record<WorkloadState, boolean> = {
  pending: false,
  starting: false,
  running: false,
  stopping: false,
  completed: true,
  failed: true,
  stopped: true,
};

export const STATES = Object.keys(TONES) as WorkloadState[];

/** Nothing will happen to it any more by itself. */
export function isEnded(state: WorkloadState): boolean {
  return ENDED[state];
}

export function canStop(state: WorkloadState): boolean {
  return !ENDED[state] && state !== "stopping";
}
