/** Parameters of an algorithm between its manifest, a form and what is sent. */
import type { Parameter, ParameterGroup, Value } from "../types";

export const GROUPS: ParameterGroup[] = ["basic", "model", "optimiser", "augmentation", "run"];

/** Values by the parameters' names. */
export type Values = Record<string, Value | undefined>;

/** The manifest's parameters, those that belong together beside each other. */
export function grouped<P extends Pick<Parameter, "group">>(parameters: readonly P[]): { group: ParameterGroup; parameters: P[] }[] {
  return GROUPS.map((group) => ({ group, parameters: parameters.filter((one) => one.group === group) })).filter(({ parameters: found }) => found.length > 0);
}

export function defaultsOf(parameters: readonly Parameter[]): Values {
  return Object.fromEntries(parameters.map(({ name, default: value }) => [name, value]));
}

/** Only what is otherwise than it would be anyway. */
export function changedValues(values: Values, usual: Values): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined && entry[1] !== null && entry[1] !== usual[entry[0]]));
}

export type ValueProblem = "missing" | "whole" | "low" | "high";

/** The rule that a value breaks, or null. */
export function problemOf({ type, min, max }: Pick<Parameter, "type" | "min" | "max">, value: Value | undefined): ValueProblem | null {
  if (type !== "int" && type !== "float") return null;
  if (typeof value !== "number" || Number.isNaN(value)) return "missing";
  if (type === "int" && !Number.isInteger(value)) return "whole";
  if (min !== null && value < min) return "low";
  if (max !== null && value > max) return "high";
  return null;
}

/** How far one press of an arrow goes: tenfold numbers go by their own size. */
export function stepOf({ type, min, max, log, default: usual }: Parameter): number {
  if (type === "int") return 1;
  if (log && typeof usual === "number" && usual > 0) return 10 ** Math.floor(Math.log10(usual));
  return min !== null && max !== null && max - min <= 1 ? 0.05 : 0.1;
}
