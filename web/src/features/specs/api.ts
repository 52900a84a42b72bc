/** Compute specs: everyone reads them, administrators change them. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { SpecCreate, SpecPatch } from "./types";

const MOST = 200;

export const specsKey = ["specs"] as const;

export const specsQuery = queryOptions({ queryKey: [...specsKey, "all"], queryFn: () => listSpecs({ limit: MOST }), staleTime: 15_000 });

export function listSpecs(query: { q?: string; sort?: string; limit?: number; cursor?: string }) {
  return unwrap(api.GET("/api/v1/specs", { params: { query } }));
}

export const createSpec = (body: SpecCreate) => unwrap(api.POST("/api/v1/specs", { body }));

export const updateSpec = (spec: string, body: SpecPatch) => unwrap(api.PATCH("/api/v1/specs/{spec}", { params: { path: { spec } }, body }));

export const deleteSpec = (spec: string) => unwrap(api.DELETE("/api/v1/specs/{spec}", { params: { path: { spec } } }));
