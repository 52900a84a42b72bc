/** Calls about images. */
import { api, unwrap } from "@/api/client";
import type { ListQuery } from "@/ui/list/types";
import type { ImageKind, ImageState, NewImage } from "./types";

const ALL = "/api/v1/projects/{project}/images";
const ONE = "/api/v1/projects/{project}/images/{image}";

const at = (project: string, image: string) => ({ path: { project, image } });

export const listImages = (project: string, { filters, ...query }: ListQuery) =>
  unwrap(api.GET(ALL, { params: { path: { project }, query: { ...query, kind: filters.kind as ImageKind | undefined, state: filters.state as ImageState | undefined } } }));

export const getImage = (project: string, image: string) => unwrap(api.GET(ONE, { params: at(project, image) }));

export const readContents = (project: string, image: string) => unwrap(api.GET(`${ONE}/contents`, { params: at(project, image) }));

export const describeImage = (project: string, image: string, description: string) => unwrap(api.PATCH(ONE, { params: at(project, image), body: { description } }));

/** Refused while something runs in it, unless it is forced: what runs then goes on to its end. */
export const deleteImage = (project: string, image: string, force: boolean) => unwrap(api.DELETE(ONE, { params: { ...at(project, image), query: { force } } }));

export const createPythonImage = (project: string, body: NewImage & { requirements: string[] }) => unwrap(api.POST(ALL, { params: { path: { project } }, body }));

/** Builds a Python image again, with whatever newer packages its requirements allow. */
export const buildImage = (project: string, image: string) => unwrap(api.POST(`${ONE}/build`, { params: at(project, image) }));

export const stopBuild = (project: string, image: string) => unwrap(api.POST(`${ONE}/build/stop`, { params: at(project, image) }));

export const importImage = (project: string, body: NewImage & { sha256: string }, signal?: AbortSignal) => unwrap(api.POST(`${ALL}/import`, { params: { path: { project } }, body, signal }));

export interface PullBody extends NewImage {
  reference: string;
  user?: string;
  password?: string;
}

export const pullImage = (project: string, body: PullBody) => unwrap(api.POST(`${ALL}/pull`, { params: { path: { project } }, body }));
