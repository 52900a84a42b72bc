/** Calls about what algorithms and models say of themselves. */
import { api, unwrap } from "@/api/client";
import type { ModelRef } from "./types";

export interface AlgorithmRef {
  project: string;
  algorithm: string;
  /** A number, or `latest`. */
  version: string;
}

export function getManifest(ref: AlgorithmRef) {
  return unwrap(api.GET("/api/v1/projects/{project}/algorithms/{algorithm}/versions/{version}/algorithm-manifest", { params: { path: { ...ref } } }));
}

export function getFacts({ project, model, version }: ModelRef) {
  return unwrap(api.GET("/api/v1/projects/{project}/models/{model}/versions/{version}/facts", { params: { path: { project, model, version: String(version) } } }));
}

export interface FactsQuery {
  q?: string;
  task?: string;
  model?: string;
  scope?: "all" | "project" | "public";
  sort?: string;
  limit: number;
  cursor?: string;
}

export function listFacts(project: string, query: FactsQuery) {
  return unwrap(api.GET("/api/v1/projects/{project}/model-facts", { params: { path: { project }, query } }));
}
