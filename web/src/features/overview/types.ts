/** Short names for the wire types of the overview. */
import type { components } from "@/api/schema";

export type OverviewView = components["schemas"]["OverviewView"];
export type ResourceUse = OverviewView["resources"][number];
export type MachineView = components["schemas"]["MachineView"];
export type UsageCurves = components["schemas"]["CurvesView"];
