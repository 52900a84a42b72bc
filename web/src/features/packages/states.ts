/** What each state of a build means to the pages; a new state does not compile until it has an answer here. */
import type { BadgeTone } from "@/ui/StateBadge";
import type { PackageState } from "./types";

export const TONES: Record<PackageState, BadgeTone> = {
  pending: "waiting",
  building: "running",
  completed: "completed",
  failed: "failed",
  stopped: "stopped",
};

const UNFINISHED: Record<PackageState, boolean> = { pending: true, building: true, completed: false, failed: false, stopped: false };

export const STATES = Object.keys(TONES) as PackageState[];

/** Its build goes on by itself: it can be stopped, and nothing else. */
export function isUnfinished(state: PackageState): boolean {
  return UNFINISHED[state];
}

/** It came to nothing: it can be built again. */
export function canBuildAgain(state: PackageState): boolean {
  return !UNFINISHED[state] && state !== "completed";
}
