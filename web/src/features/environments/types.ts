/** Short names for the wire types of dev environments. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type EnvironmentView = Schemas["EnvironmentView"];
export type EnvironmentInput = EnvironmentView["inputs"][number];
export type EnvironmentSsh = EnvironmentView["ssh"];
export type EnvironmentBody = Schemas["EnvironmentCreate"];
export type EnvironmentPatch = Schemas["EnvironmentPatch"];
export type EnvironmentApp = "jupyter" | "tensorboard" | "port";
