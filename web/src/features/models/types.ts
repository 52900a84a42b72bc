/** Short names for the wire types of algorithms' manifests and models' facts. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Manifest = Schemas["ManifestView"];
export type Parameter = Schemas["ParameterView"];
export type ParameterGroup = Parameter["group"];
export type AlgorithmView = Schemas["AlgorithmView"];
export type FactsView = Schemas["FactsView"];

/** What a parameter may be. */
export type Value = string | number | boolean | null;

/** One input or output of a model, as the Open Inference Protocol writes it. */
export interface SignatureTensor {
  name?: string;
  datatype?: string;
  shape?: (number | string | null)[];
}

export interface ModelRef {
  project: string;
  model: string;
  version: number;
}
