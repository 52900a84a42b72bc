/** What each state means to the pages; a new state does not compile until it has an answer here. */
import type { BadgeTone } from "@/ui/StateBadge";
import type { ReplicaState, ServiceState } from "./types";

export const TONES: Record<ServiceState, BadgeTone> = {
  building: "waiting",
  starting: "starting",
  serving: "running",
  degraded: "stopping",
  updating: "starting",
  stopping: "stopping",
  stopped: "stopped",
  failed: "failed",
};

const MOVING: Record<ServiceState, boolean> = {
  building: true,
  starting: true,
  serving: false,
  degraded: true,
  updating: true,
  stopping: true,
  stopped: false,
  failed: false,
};

export const REPLICA_TONES: Record<ReplicaState, BadgeTone> = {
  waiting: "waiting",
  starting: "starting",
  ready: "running",
  unready: "stopping",
  draining: "stopping",
  ending: "stopping",
  ended: "stopped",
};

const REPLICA_RUNS: Record<ReplicaState, boolean> = { waiting: false, starting: true, ready: true, unready: true, draining: true, ending: false, ended: false };

export const STATES = Object.keys(TONES) as ServiceState[];

/** It is on its way to another state by itself. */
export function isMoving(state: ServiceState): boolean {
  return MOVING[state];
}

/** There is a process one can look into. */
export function isRunning(state: ReplicaState): boolean {
  return REPLICA_RUNS[state];
}
