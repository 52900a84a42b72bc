import { api, unwrap } from "@/api/client";

/** What is installed is public, whoever asks. */
export const PUBLIC = "public";

export function listCatalogue() {
  return unwrap(api.GET("/api/v1/projects/{project}/catalogue", { params: { path: { project: PUBLIC } } }));
}

export function installEntry(name: string) {
  return unwrap(api.POST("/api/v1/projects/{project}/catalogue/{name}/install", { params: { path: { project: PUBLIC, name } } }));
}
