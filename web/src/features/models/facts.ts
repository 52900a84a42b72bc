/** What of a model's facts can be shown. They were written by whoever made the model, so nothing of it is taken on trust. */
import type { Edges } from "@/features/annotate/model/skeleton";
import type { FactsView, Value } from "./types";

export function labelNames({ labels }: Pick<FactsView, "labels">): string[] {
  return labels.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}

/** How each label's keypoints are joined, by the label's name; labels without a skeleton are not there. */
export function labelEdges({ labels }: Pick<FactsView, "labels">): Map<string, Edges> {
  return new Map(labels.flatMap(({ name, skeleton }): [string, Edges][] => {
    const edges: unknown = isRecord(skeleton) ? skeleton.edges : null;
    return typeof name === "string" && Array.isArray(edges) ? [[name, edges.filter(isPair)]] : [];
  }));
}

/** A row with the columns that a model of tables looks at; null where it is none. */
export function rowSample({ input }: Pick<FactsView, "input">): Record<string, Value> | null {
  const columns: unknown = input.kind === "table" ? input.columns : null;
  if (!Array.isArray(columns)) return null;
  return Object.fromEntries(columns.filter(isRecord).flatMap(({ name, kind, values }): [string, Value][] => {
    const [first]: unknown[] = Array.isArray(values) ? values : [];
    return typeof name === "string" ? [[name, kind === "number" ? 0 : typeof first === "string" ? first : ""]] : [];
  }));
}

export function madeWith({ made_with: made }: Pick<FactsView, "made_with">): { algorithm: string | null; parameters: [string, Value][] } {
  const { algorithm, parameters } = made;
  return {
    algorithm: typeof algorithm === "string" && algorithm !== "" ? algorithm : null,
    parameters: Object.entries(isRecord(parameters) ? parameters : {}).filter((entry): entry is [string, Value] => isValue(entry[1])),
  };
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isValue(value: unknown): value is Value {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
