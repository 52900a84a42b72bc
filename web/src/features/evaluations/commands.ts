import { shellQuote } from "@/lib/shell";

export interface EvaluateValues {
  model: string[];
  dataset: string | null;
  part: "test" | "all";
  threshold: number | null;
  spec: string | null;
}

/** The same as a command, one for each model. */
export function evaluateCommand({ model, dataset, part, threshold, spec }: EvaluateValues): string {
  const options = [part === "all" && "--part all", threshold !== null && threshold !== 0.5 && `--threshold ${threshold}`, spec && `--spec ${shellQuote(spec)}`].filter(Boolean);
  const models = model && model.length > 0 ? model : ["MODEL"];
  return models.map((one) => ["tidemill evaluate", shellQuote(one), shellQuote(dataset ?? "DATASET"), ...options].join(" ")).join("\n");
}
