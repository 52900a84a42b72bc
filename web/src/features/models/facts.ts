/** What of a model's facts can be shown. They were written by whoever made the model, so nothing of it is taken on trust. */
import type { FactsView, Value } from "./types";

export function labelNames({ labels }: Pick<FactsView, "labels">): string[] {
  return labels.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}

export function madeWith({ made_with: made }: Pick<FactsView, "made_with">): { algorithm: string | null; parameters: [string, Value][] } {
  const { algorithm, parameters } = made;
  const isRecord = typeof parameters === "object" && parameters !== null && !Array.isArray(parameters);
  return {
    algorithm: typeof algorithm === "string" && algorithm !== "" ? algorithm : null,
    parameters: Object.entries(isRecord ? parameters : {}).filter((entry): entry is [string, Value] => isValue(entry[1])),
  };
}

function isValue(value: unknown): value is Value {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
