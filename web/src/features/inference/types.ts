/** Short names for the wire types of batch inference. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type InferenceView = Schemas["InferenceView"];
export type InferenceBody = Schemas["InferenceCreate"];
export type InferenceSettings = Schemas["InferenceSettingsView"];
export type StartBody = Schemas["InferenceStart"];
export type InferenceRun = Schemas["InferenceRunView"];
export type ResultView = Schemas["ResultView"];
export type WriteBackView = Schemas["WriteBackView"];
export type WriteBackBody = Schemas["WriteBackCreate"];
export type Form = InferenceView["form"];
export type Settings = InferenceBody["settings"];
export type CodeSettings = Extract<Settings, { form: "code" }>;
export type ModelSettings = Extract<Settings, { form: "model" }>;
export type Source = ModelSettings["source"];
export type Download = "json" | "jsonl" | "csv" | "coco";
