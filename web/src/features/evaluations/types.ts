/** Short names for the wire types of evaluations. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type EvaluationView = Schemas["EvaluationView"];
export type EvaluationDetail = Schemas["EvaluationDetail"];
export type EvaluationCreate = Schemas["EvaluationCreate"];
export type EvaluationState = EvaluationView["state"];
export type Comparison = Schemas["EvaluationComparison"];

export interface EvaluationRef {
  project: string;
  id: string;
}
