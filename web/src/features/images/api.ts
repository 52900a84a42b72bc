/** Calls about images. */
import { callJson } from "@/api/json";
import type { JobView, Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";
import type { ImageDetail, ImageView, PythonImageBody } from "./types";

const base = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}/images`;
const one = (project: string, id: string) => `${base(project)}/${encodeURIComponent(id)}`;

export const listImages = (project: string, { filters, ...query }: ListQuery) => callJson<Page<ImageView>>("GET", base(project), { query: { ...query, kind: filters.kind } });

export const getImage = (project: string, id: string) => callJson<ImageDetail>("GET", one(project, id));

export const describeImage = (project: string, id: string, description: string) => callJson<ImageDetail>("PATCH", one(project, id), { body: { description } });

export const deleteImage = (project: string, id: string) => callJson<unknown>("DELETE", one(project, id));

export const createPythonImage = (project: string, body: PythonImageBody) => callJson<ImageView>("POST", base(project), { body });

/** Builds a Python image again, after a failure. */
export const buildImage = (project: string, id: string) => callJson<ImageView>("POST", `${one(project, id)}/build`);

export interface ImportBody {
  sha256: string;
  name?: string;
  version?: string;
  description: string;
}

export const importImage = (project: string, body: ImportBody, signal?: AbortSignal) => callJson<JobView>("POST", `${base(project)}/import`, { body, signal });

export interface PullBody {
  reference: string;
  name?: string;
  version?: string;
  user?: string;
  password?: string;
  description: string;
}

export const pullImage = (project: string, body: PullBody) => callJson<JobView>("POST", `${base(project)}/pull`, { body });
