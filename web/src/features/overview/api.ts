/** Calls about the overview: of the platform (null) or of a project. */
import { callJson } from "@/api/json";
import type { OverviewView, UsageCurves } from "./types";

const base = (project: string | null) => (project === null ? "/api/v1/overview" : `/api/v1/projects/${encodeURIComponent(project)}/overview`);

export const readOverview = (project: string | null) => callJson<OverviewView>("GET", base(project));

export const readCurves = (project: string | null, hours: number) => callJson<UsageCurves>("GET", `${base(project)}/usage`, { query: { hours } });
