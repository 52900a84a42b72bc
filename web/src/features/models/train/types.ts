/** Short names for the wire types of training from a dataset. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type TrainingPlan = Schemas["TrainingPlan"];
export type TrainStart = Schemas["TrainStart"];
export type Choice = Schemas["ChoiceView"];
export type StartModel = Schemas["StartModelView"];
export type RunTraining = Schemas["TrainingView"];
