import type { Allowed, Loop } from "./types";

/** Whether an action is possible now, and why not; what the server says nothing about is not. */
export function allowedIn({ actions }: Pick<Loop, "actions">, name: "label" | "train" | "retrain" | "auto"): Allowed {
  return actions[name] ?? { allowed: false, reason: null };
}
