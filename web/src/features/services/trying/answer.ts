/** What a service said, read as annotations where it is in that form. It may be anybody's program: nothing is taken on trust. */
import type { NamedAnnotation } from "@/features/evaluations/result";

export interface Answer {
  annotations: NamedAnnotation[];
  /** A number that was predicted for the whole. */
  value: number | null;
  /** Classes that were not chosen, and how likely each is, the likeliest first. */
  others: [label: string, score: number][];
}

/** Null where it is not an answer in the platform's form: then it is shown as it is. */
export function readAnswer(text: string | null): Answer | null {
  if (text === null) return null;
  try {
    return answerIn(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function answerIn(raw: unknown): Answer | null {
  if (Array.isArray(raw)) return raw.length > 0 && raw.every(isAnnotation) ? { annotations: raw, value: null, others: [] } : answerIn(raw[0] ?? null);
  if (!isRecord(raw)) return null;
  if (Array.isArray(raw.annotations)) return answerOf(raw.annotations, raw.value, raw.labels);
  if (Array.isArray(raw.outputs)) return answerOfTensors(raw.outputs);
  for (const key of ["predictions", "results", "items"]) if (Array.isArray(raw[key])) return answerIn(raw[key][0] ?? null);
  return null;
}

/** The Open Inference Protocol: a list of JSON texts in the tensor `annotations`, of which the first is ours. */
function answerOfTensors(outputs: unknown[]): Answer | null {
  const tensors = outputs.filter(isRecord);
  const first = (name: string): unknown => {
    const data = tensors.find((tensor) => tensor.name === name)?.data;
    return Array.isArray(data) ? data[0] : undefined;
  };
  const said = first("annotations");
  if (typeof said !== "string") return null;
  const annotations: unknown = JSON.parse(said);
  return answerOf(Array.isArray(annotations) ? annotations : [], first("value"), null);
}

function answerOf(found: unknown[], value: unknown, labels: unknown): Answer {
  const annotations = found.filter(isAnnotation);
  const chosen = new Set(annotations.map((one) => one.label));
  const others = (Array.isArray(labels) ? labels : []).flatMap((one: unknown): Answer["others"] =>
    isRecord(one) && typeof one.label === "string" && typeof one.score === "number" && !chosen.has(one.label) ? [[one.label, one.score]] : [],
  );
  return { annotations, value: typeof value === "number" ? value : null, others };
}

function isAnnotation(raw: unknown): raw is NamedAnnotation {
  return isRecord(raw) && typeof raw.type === "string";
}

function isRecord(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

/** JSON with its lines, anything else as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
