/** What the form of a training holds, and how it becomes what the server takes. */
import { shellQuote } from "@/lib/shell";
import { changedValues } from "../manifest/manifest-values";
import type { Values } from "../manifest/manifest-values";
import type { Wishes } from "./api";
import type { Choice, TrainingPlan, TrainStart } from "./types";

/** Means "from scratch" in the chooser of starting models, where nothing means "as chosen for me". */
export const SCRATCH = "-";

export interface TrainValues {
  algorithm: string | null;
  model: string | null;
  spec: string | null;
  time_budget_s: number | null;
  save_model: string;
  parameters: Values;
}

export function newTraining(): TrainValues {
  return { algorithm: null, model: null, spec: null, time_budget_s: null, save_model: "", parameters: {} };
}

/** What the plan has to be made anew for. */
export function wishesOf({ algorithm, model, spec, time_budget_s }: Pick<TrainValues, "algorithm" | "model" | "spec" | "time_budget_s">): Wishes {
  return {
    ...(algorithm && { algorithm }),
    ...(model && { model: model === SCRATCH ? "" : model }),
    ...(spec && { spec }),
    ...(time_budget_s && { time_budget_s }),
  };
}

export function chosenValues(choices: readonly Choice[]): Values {
  return Object.fromEntries(choices.map(({ name, value }) => [name, value]));
}

/** The values of another plan, with those that somebody has changed as they are. */
export function followedValues(values: Values, before: Pick<TrainingPlan, "choices">, after: Pick<TrainingPlan, "choices">): Values {
  return { ...chosenValues(after.choices), ...changedValues(values, chosenValues(before.choices)) };
}

/** Only what differs from the plan: the rest is chosen again by the server, from the same facts. */
export function startBody(values: TrainValues, plan: Pick<TrainingPlan, "choices" | "save_model">): TrainStart {
  const parameters = changedValues(values.parameters ?? {}, chosenValues(plan.choices));
  const known = new Set(plan.choices.map(({ name }) => name));
  const kept = Object.fromEntries(Object.entries(parameters).filter(([name]) => known.has(name)));
  const saved = values.save_model?.trim();
  return {
    ...wishesOf(values),
    parameters: kept,
    ...(saved && saved !== plan.save_model && { save_model: saved }),
  };
}

export function trainCommand(dataset: string, body: TrainStart): string {
  const words = ["tidemill train", shellQuote(dataset)];
  const add = (option: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined) words.push(option, shellQuote(String(value)));
  };
  add("--algorithm", body.algorithm);
  add("--start-from", body.model === "" ? "none" : body.model);
  add("--model", body.save_model);
  add("--spec", body.spec);
  add("--time-budget", body.time_budget_s);
  Object.entries(body.parameters ?? {}).forEach(([name, value]) => add("--set", `${name}=${String(value)}`));
  return words.join(" ");
}
