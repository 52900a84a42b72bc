/** A compute spec: what one node of a workload gets. */
import type { components } from "@/api/schema";

export type SpecView = components["schemas"]["SpecView"];
export type SpecCreate = components["schemas"]["SpecCreate"];
export type SpecPatch = components["schemas"]["SpecPatch"];
