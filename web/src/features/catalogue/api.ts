import { callJson } from "@/api/json";
import type { CatalogueEntry } from "./types";

/** What is installed is public, whoever asks. */
export const PUBLIC = "public";

export function listCatalogue(): Promise<{ items: CatalogueEntry[] }> {
  return callJson("GET", `/api/v1/projects/${PUBLIC}/catalogue`);
}

export function installEntry(name: string): Promise<{ job: string | null; model: string | null }> {
  return callJson("POST", `/api/v1/projects/${PUBLIC}/catalogue/${encodeURIComponent(name)}/install`);
}
