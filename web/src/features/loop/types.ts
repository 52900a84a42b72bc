/** Short names for the wire types of the loop. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Loop = Schemas["LoopView"];
/** One model trained from the dataset: how many labels it had, and how good it is. */
export type CurvePoint = Schemas["LoopPoint"];
export type AdviceAction = NonNullable<Loop["advice"]["action"]>;
export type Allowed = Schemas["ActionView"];
export type Round = Schemas["RoundView"];
export type RoundStep = Round["step"];
export type RunName = Schemas["RunName"];
export type RetrainStart = Schemas["RetrainStart"];
