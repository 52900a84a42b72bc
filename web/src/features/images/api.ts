/** Calls about images. */
import { callJson } from "@/api/json";
import type { JobView, Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";
import type { ImageView, NewImage } from "./types";

const base = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}/images`;
const one = (project: string, id: string) => `${base(project)}/${encodeURIComponent(id)}`;

export const listImages = (project: string, { filters, ...query }: ListQuery) => callJson<Page<ImageView>>("GET", base(project), { query: { ...query, kind: filters.kind } });

export const getImage = (project: string, id: string) => callJson<ImageView>("GET", one(project, id));

export const describeImage = (project: string, id: string, description: string) => callJson<ImageView>("PATCH", one(project, id), { body: { description } });

/** Refused while something runs in it, unless it is forced: what runs then goes on to its end. */
export const deleteImage = (project: string, id: string, force: boolean) => callJson<unknown>("DELETE", one(project, id), { query: { force } });

export const createPythonImage = (project: string, body: NewImage & { requirements: string[] }) => callJson<ImageView>("POST", base(project), { body });

/** Builds a Python image again, with whatever newer packages its requirements allow. */
export const buildImage = (project: string, id: string) => callJson<ImageView>("POST", `${one(project, id)}/build`);

export const stopBuild = (project: string, id: string) => callJson<ImageView>("POST", `${one(project, id)}/build/stop`);

export const importImage = (project: string, body: NewImage & { sha256: string }, signal?: AbortSignal) => callJson<JobView>("POST", `${base(project)}/import`, { body, signal });

export interface PullBody extends NewImage {
  reference: string;
  user?: string;
  password?: string;
}

export const pullImage = (project: string, body: PullBody) => callJson<JobView>("POST", `${base(project)}/pull`, { body });
