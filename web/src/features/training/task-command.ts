import { shellQuote } from "@/lib/shell";
import { bodyOf } from "./task-values";
import type { TaskValues } from "./task-values";

/** The command that makes the same task. */
export function taskCommand(values: TaskValues): string {
  const task = bodyOf(values);
  const words = ["tidemill task create", shellQuote(task.name || "NAME")];
  const add = (option: string, value: string | number | null) => {
    if (value !== null && value !== "") words.push(option, shellQuote(String(value)));
  };
  add("--description", task.description);
  add("--algorithm", task.algorithm);
  task.models.forEach((model) => add("--model", model));
  task.inputs.forEach((input) => add("--input", input));
  add("--image", task.image);
  add("--spec", task.spec);
  if (task.nodes > 1) add("--nodes", task.nodes);
  if (task.launcher !== "command") add("--launcher", task.launcher);
  add("--processes-per-node", task.processes_per_node);
  add("--save-model", task.save_model);
  if (task.priority !== "normal") add("--priority", task.priority);
  if (task.preemptible) words.push("--preemptible");
  if (task.retries > 0) add("--retries", task.retries);
  add("--time-limit", task.time_limit_s === null ? null : `${task.time_limit_s}s`);
  Object.entries(task.environment).forEach(([name, value]) => add("--env", `${name}=${value}`));
  Object.entries(task.parameters).forEach(([name, value]) => add("--set", `${name}=${String(value)}`));
  words.push("--command", shellQuote(task.command || "…"));
  return words.join(" ");
}
