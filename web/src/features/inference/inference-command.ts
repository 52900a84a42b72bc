import { shellQuote } from "@/lib/shell";
import { bodyOf, IN_FLIGHT } from "./inference-values";
import type { InferenceValues } from "./inference-values";
import type { CodeSettings, ModelSettings } from "./types";

type Add = (option: string, value: string | number | null | undefined) => void;

/** The command that makes the same entry. */
export function inferenceCommand(values: InferenceValues): string {
  const { name, scene, description, settings } = bodyOf(values);
  const words = ["tidemill infer create", shellQuote(name || "NAME")];
  const add: Add = (option, value) => {
    if (value !== null && value !== undefined && value !== "") words.push(option, shellQuote(String(value)));
  };
  if (scene !== "other") add("--scene", scene);
  add("--description", description);
  if (settings.form === "code") addCode(add, settings);
  else addModel(add, settings);
  add("--spec", settings.spec);
  if (settings.priority !== "normal") add("--priority", settings.priority);
  add("--time-limit", settings.time_limit_s);
  return words.join(" ");
}

function addModel(add: Add, { source, dataset, threshold, states, workers }: ModelSettings): void {
  if (source.type === "model") add("--model", source.model || "MODEL");
  else {
    if (source.url === undefined) add("--service", source.service || "SERVICE");
    else add("--address", source.url || "URL");
    add("--model", source.model);
    if (source.in_flight !== IN_FLIGHT) add("--in-flight", source.in_flight);
  }
  add("--dataset", dataset || "DATASET");
  if (threshold !== 0.5) add("--threshold", threshold);
  states?.forEach((state) => add("--state", state));
  add("--workers", workers);
}

function addCode(add: Add, settings: CodeSettings): void {
  add("--algorithm", settings.algorithm);
  settings.datasets?.forEach((dataset) => add("--dataset", dataset));
  settings.models?.forEach((model) => add("--model", model));
  add("--image", settings.image);
  if (settings.launcher !== "command") add("--launcher", settings.launcher);
  if ((settings.nodes ?? 1) > 1) add("--nodes", settings.nodes);
  if ((settings.retries ?? 0) > 0) add("--retries", settings.retries);
  Object.entries(settings.environment ?? {}).forEach(([key, value]) => add("--env", `${key}=${value}`));
  Object.entries(settings.parameters ?? {}).forEach(([key, value]) => add("--set", `${key}=${String(value)}`));
  add("--command", settings.command || "…");
}
