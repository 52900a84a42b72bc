/** What the form of a start holds, and how it becomes what the server takes: only what is otherwise than in the task. */
import type { components } from "@/api/schema";
import { formatValue, parseValue } from "./parameters";
import type { Pair } from "./parameters";
import type { ParameterValue, Priority, TaskView } from "./types";

export type StartBody = components["schemas"]["TaskStart"];

export interface StartValues {
  /** The task's own parameters, in their order; names may hold any character, so they are no keys of the form. */
  values: (string | undefined)[];
  /** Further ones. */
  parameters: Pair[];
  spec: string | null;
  priority: Priority;
}

type Started = Pick<TaskView, "parameters" | "spec" | "priority">;

export function startValues(task: Started): StartValues {
  return { values: Object.values(task.parameters).map(formatValue), parameters: [], spec: task.spec, priority: task.priority };
}

export function startBody(task: Started, { values, parameters, spec, priority }: StartValues): StartBody {
  const changed: Record<string, ParameterValue> = {};
  Object.entries(task.parameters).forEach(([name, before], index) => {
    const value = parseValue(values[index] ?? "");
    if (value !== before) changed[name] = value;
  });
  for (const pair of parameters) if (pair?.name?.trim()) changed[pair.name.trim()] = parseValue(pair.value ?? "");
  return {
    ...(Object.keys(changed).length > 0 && { parameters: changed }),
    ...(spec && spec !== task.spec && { spec }),
    ...(priority !== task.priority && { priority }),
  };
}
