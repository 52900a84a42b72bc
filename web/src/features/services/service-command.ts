import { shellQuote } from "@/lib/shell";
import { BODY_MAX, bodyOf, TIMEOUT_S } from "./service-values";
import type { ServiceValues } from "./service-values";

/** The command that deploys the same. Secrets are only named: the command takes their values from its environment. */
export function serviceCommand(project: string, values: ServiceValues): string {
  const body = bodyOf(values);
  const words = ["tidemill service deploy", shellQuote(body.name || "NAME")];
  const add = (option: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined && value !== "") words.push(option, shellQuote(String(value)));
  };
  add("--model", body.model);
  add("--package", body.package);
  add("--run", body.run);
  add("--spec", body.spec);
  if (body.replicas !== 1) add("--replicas", body.replicas);
  Object.entries(body.environment ?? {}).forEach(([name, value]) => add("--env", `${name}=${value}`));
  Object.keys(body.secrets ?? {}).forEach((name) => add("--secret", name));
  if (body.access === "open") words.push("--open");
  body.cors?.forEach((origin) => add("--cors", origin));
  if (body.body_max_bytes !== BODY_MAX) add("--max-body", body.body_max_bytes);
  if (body.timeout_s !== TIMEOUT_S) add("--timeout", body.timeout_s);
  add("--rate", body.rate_per_s);
  add("--description", body.description);
  add("--project", project);
  return words.join(" ");
}
