/** Short names for the wire types of experiments. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type ExperimentView = Schemas["ExperimentView"];
export type TrackedRun = Schemas["TrackedRun"];
export type Keys = Schemas["KeysView"];
export type LoggedFile = Schemas["LoggedFile"];
