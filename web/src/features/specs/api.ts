/** Compute specs: everyone reads them, administrators change them. */
import { queryOptions } from "@tanstack/react-query";
import { callJson } from "@/api/json";
import type { Page } from "@/api/types";
import type { SpecBody, SpecView } from "./types";

const BASE = "/api/v1/specs";
const MOST = 200;
const one = (name: string) => `${BASE}/${encodeURIComponent(name)}`;

export const specsKey = ["specs"] as const;

export const specsQuery = queryOptions({ queryKey: [...specsKey, "all"], queryFn: () => listSpecs({ limit: MOST }), staleTime: 15_000 });

export const listSpecs = (query: { q?: string; sort?: string; limit?: number; cursor?: string }) => callJson<Page<SpecView>>("GET", BASE, { query });

export const createSpec = (body: SpecBody) => callJson<SpecView>("POST", BASE, { body });

export const updateSpec = (name: string, body: Partial<SpecBody>) => callJson<SpecView>("PATCH", one(name), { body });

export const deleteSpec = (name: string) => callJson<undefined>("DELETE", one(name));
