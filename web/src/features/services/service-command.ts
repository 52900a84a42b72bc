import { shellQuote } from "@/lib/shell";
import { bodyOf } from "./service-values";
import type { ServiceValues } from "./service-values";

/** The command that deploys the same; limits and origins have none, they are set on the service's page. */
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
  if (body.access === "open") words.push("--open");
  add("--description", body.description);
  add("--project", project);
  return words.join(" ");
}
