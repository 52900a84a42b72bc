/** The loop of labelling, training and letting the model label the rest, as the server tells it. */
import type { ItemView } from "@/features/datasets/types";

export interface RunName {
  id: string;
  name: string;
}

/** One model trained from the dataset: how many labels it had, and how good it is. */
export interface CurvePoint {
  labelled: number;
  version: number;
  model: string | null;
  evaluation: string | null;
  run: RunName | null;
  metric: string | null;
  value: number | null;
  created_at: string;
}

export type AdviceCode = "label_first" | "train_first" | "auto_annotate" | "look_at_suggestions" | "label_more" | "retrain" | "good_enough";
export type AdviceAction = "label" | "train" | "auto" | "suggestions" | "retrain" | "publish";

export interface Allowed {
  allowed: boolean;
  reason: string | null;
}

export type RoundStep = "publishing" | "copying" | "training" | "annotating" | "done";

export interface Round {
  id: string;
  step: RoundStep;
  state: "running" | "done" | "failed" | "stopped";
  version: number;
  draft: number | null;
  run: (RunName & { state?: string }) | null;
  model: string | null;
  auto: string | null;
  error: { code: string; message: string; hint?: string | null } | null;
  created_at: string;
  finished_at: string | null;
}

export interface Loop {
  dataset: string;
  task: string | null;
  draft: number | null;
  latest_published: number | null;
  items: number;
  labelled: number;
  suggested: number;
  unlabelled: number;
  progress: number;
  curve: CurvePoint[];
  primary: string | null;
  best: CurvePoint | null;
  /** The newest. */
  model: string | null;
  next_items: (ItemView & { uncertainty?: number | null })[];
  next_order: "uncertainty" | "seq";
  advice: { code: AdviceCode; message: string; action: AdviceAction | null };
  actions: Record<"train" | "retrain" | "auto" | "label", Allowed>;
  round: Round | null;
}

export interface RetrainBody {
  time_budget_s?: number;
  then_annotate: boolean;
  threshold?: number;
}
