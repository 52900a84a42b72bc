/** What a round goes through, and where it is. */
import type { Round, RoundStep } from "./types";

export interface ShownStep {
  step: Exclude<RoundStep, "done">;
  status: "finish" | "process" | "error" | "wait";
}

const ORDER: ShownStep["step"][] = ["publishing", "copying", "training", "annotating"];

/** Annotating is only part of rounds it was asked for. */
export function stepsOf({ step, state, auto }: Pick<Round, "step" | "state" | "auto">): ShownStep[] {
  const shown = ORDER.filter((one) => one !== "annotating" || step === "annotating" || auto !== null);
  const at = step === "done" ? shown.length : shown.findIndex((one) => one === step);
  const here = state === "running" ? "process" : state === "done" ? "finish" : "error";
  return shown.map((one, index) => ({ step: one, status: index < at ? "finish" : index === at ? here : "wait" }));
}
