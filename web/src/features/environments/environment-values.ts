import { shellQuote } from "@/lib/shell";
import { DEFAULT_LIMITS } from "./LimitFields";
import type { LimitValues } from "./LimitFields";
import { GENERATED, passwordOf } from "./PasswordFields";
import type { PasswordValues } from "./PasswordFields";
import type { EnvironmentBody } from "./types";

export interface EnvironmentValues extends LimitValues, PasswordValues {
  name: string;
  description: string;
  algorithms: (string | null)[];
  datasets: (string | null)[];
  models: (string | null)[];
  image: string | null;
  spec: string | null;
  nodes: number;
}

export const NEW_ENVIRONMENT: EnvironmentValues = {
  name: "",
  description: "",
  algorithms: [],
  datasets: [],
  models: [],
  image: "tidemill/jupyter:4",
  spec: null,
  nodes: 1,
  ...DEFAULT_LIMITS,
  ...GENERATED,
};

const chosen = (refs: (string | null)[]) => refs.filter((ref): ref is string => ref !== null);

export function bodyOf(values: EnvironmentValues): EnvironmentBody {
  const { name, description, image, spec, nodes, time_limit_s, idle_limit_s } = values;
  return { name: name.trim(), description, image, spec, nodes, time_limit_s, idle_limit_s, algorithms: chosen(values.algorithms), datasets: chosen(values.datasets), models: chosen(values.models), password: passwordOf(values), start: true };
}

/** The command that makes the same environment. */
export function environmentCommand(project: string, values: EnvironmentValues): string {
  const words = ["tidemill env create", shellQuote(values.name.trim() || "NAME")];
  if (values.image) words.push("--image", shellQuote(values.image));
  if (values.spec) words.push("--spec", shellQuote(values.spec));
  if (values.nodes > 1) words.push("--nodes", String(values.nodes));
  for (const ref of chosen(values.algorithms)) words.push("--algorithm", shellQuote(ref));
  for (const ref of chosen(values.datasets)) words.push("--dataset", shellQuote(ref));
  for (const ref of chosen(values.models)) words.push("--model", shellQuote(ref));
  if (values.time_limit_s) words.push("--time-limit", String(values.time_limit_s));
  if (values.idle_limit_s) words.push("--idle-limit", String(values.idle_limit_s));
  words.push("--start", "--project", shellQuote(project));
  return words.join(" ");
}
