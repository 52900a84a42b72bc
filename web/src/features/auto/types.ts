/** Auto-annotation as the server speaks of it. */
import type { Annotation } from "@/features/annotate/model/types";
import type { ItemState, ItemView, ScanView } from "@/features/datasets/types";

/** What annotates: a model of the catalogue, any version of a model, or a service that speaks the Open Inference Protocol. */
export type Source = { type: "preset"; preset: string } | { type: "model"; model: string } | { type: "service"; url: string; model: string; token?: string };

export interface LabelName {
  number: number;
  name: string;
}

export interface MappedLabel {
  /** As the model calls it. */
  name: string;
  suggested: LabelName | null;
  reason: "same" | "case" | "plural" | "translation" | null;
}

export interface MappingView {
  source: string;
  task: string;
  labels: MappedLabel[];
  unmatched: number;
  fits: boolean;
  problem: string | null;
}

/** A label's number, the name of one that is to be made, or null: left out. */
export type Target = number | string | null;

export interface AutoCreate {
  source: Source;
  mapping?: Record<string, Target>;
  make_labels: boolean;
  threshold: number;
  states: ItemState[];
  label_errors: boolean;
  spec: string | null;
}

type WorkFields = Omit<ScanView, "kind" | "near_duplicates" | "blurred" | "broken" | "threshold" | "distance">;

export type AutoView = WorkFields & {
  kind: "auto";
  source: string;
  source_type: Source["type"];
  threshold: number;
  mapping: Record<string, LabelName | null>;
  label_errors: boolean;
  states: string[];
};

export interface SuggestionsSummary {
  suggested: number;
  looked_at: number;
  mean_uncertainty: number | null;
  source: string | null;
  /** Items by the certainty of what is least certain on them, in tenths. */
  by_certainty: number[];
}

export interface Decided {
  changed: number;
  left: number;
  action: string | null;
  job: string | null;
}

export type ErrorKind = "class" | "missing" | "extra";

export interface LabelError {
  seq: number;
  path: string;
  kind: ErrorKind;
  score: number;
  given: LabelName | null;
  predicted: LabelName | null;
  /** What the model would have drawn, where something is missing. */
  annotation: Annotation | null;
  /** The one that was given. */
  annotation_id: string | null;
  source: string;
  item: ItemView;
}
