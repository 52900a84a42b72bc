/** Short names for the wire types of auto-annotation. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type AutoCreate = Schemas["AutoCreate"];
export type AutoView = Schemas["AutoView"];
export type MappingView = Schemas["MappingView"];
export type MappedLabel = Schemas["MappedLabel"];
export type LabelName = Schemas["LabelName"];
export type SuggestionsChanged = Schemas["SuggestionsChanged"];
export type LabelError = Schemas["LabelErrorView"];
export type ErrorKind = LabelError["kind"];

/** What annotates: a model of the catalogue, any version of a model, or a service that speaks the Open Inference Protocol. */
export type Source = AutoCreate["source"];
/** A label's number, the name of one that is to be made, or null: left out. */
export type Target = number | string | null;
/** States of items a model may be asked about. What people have annotated is never overwritten. */
export type AskedState = AutoCreate["states"] extends (infer S)[] | undefined ? S : never;
