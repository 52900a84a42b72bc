/** The forms of the loop, and what is sent of them. */
import type { DatasetRef } from "@/features/datasets/types";
import { shellQuote } from "@/lib/shell";
import type { RetrainStart } from "./types";

export interface RetrainValues {
  minutes: number;
  thenAnnotate: boolean;
  thresholdPercent?: number;
  /** As chosen for the dataset when left out. */
  algorithm?: string | null;
}

const DEFAULT_PERCENT = 50;

export function retrainBody({ minutes, thenAnnotate, thresholdPercent, algorithm }: RetrainValues): RetrainStart {
  return { ...(algorithm ? { algorithm } : {}), time_budget_s: minutes * 60, then_annotate: thenAnnotate, threshold: (thresholdPercent ?? DEFAULT_PERCENT) / 100 };
}

export function retrainCommand(of: DatasetRef, values: RetrainValues): string {
  const { time_budget_s, then_annotate, threshold } = retrainBody(values);
  const words = ["tidemill dataset retrain", shellQuote(of.dataset), "--time-budget", String(time_budget_s || 60)];
  if (then_annotate) words.push("--then-annotate", "--threshold", String(threshold));
  words.push("--project", shellQuote(of.project));
  return words.join(" ");
}
