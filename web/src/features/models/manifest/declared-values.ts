/** A task's parameters: those that its algorithm declares have fields of their own, the rest are names with values. */
import { formatValue, parseValue } from "@/features/training/parameters";
import type { Pair } from "@/features/training/parameters";
import type { Manifest, Value } from "../types";
import type { Values } from "./manifest-values";

export const DECLARED = "declared";

/** What of the form follows the chosen algorithm. */
export interface Settling {
  command?: string;
  declared?: Values;
  parameters?: Pair[];
}

/** With another algorithm: what it declares is sorted out of the pairs or takes its default; what it does not goes back to them. */
export function settled({ command, declared = {}, parameters = [] }: Settling, manifest: Pick<Manifest, "parameters" | "functions"> | null): Settling {
  const names = new Set((manifest?.parameters ?? []).map(({ name }) => name));
  const given: Record<string, Value | undefined> = { ...declared };
  for (const pair of parameters) if (pair?.name && names.has(pair.name)) given[pair.name] = parseValue(pair.value ?? "");
  return {
    command: command?.trim() ? command : (manifest?.functions.train?.command ?? command ?? ""),
    declared: Object.fromEntries((manifest?.parameters ?? []).map(({ name, default: usual }) => [name, given[name] ?? usual])),
    parameters: parameters.filter((pair) => !names.has(pair?.name)),
  };
}

/** What a task keeps of them. */
export function declaredBody(declared: Values | undefined): Record<string, Value> {
  return Object.fromEntries(Object.entries(declared ?? {}).filter((entry): entry is [string, Value] => entry[1] !== undefined && entry[1] !== null && formatValue(entry[1]) !== ""));
}
