/** Calls about dev environments. */
import { api, unwrap } from "@/api/client";
import type { WorkloadState } from "@/features/workloads/types";
import type { ListQuery } from "@/ui/list/types";
import type { EnvironmentApp, EnvironmentBody, EnvironmentPatch } from "./types";

const ALL = "/api/v1/projects/{project}/environments";
const ONE = "/api/v1/projects/{project}/environments/{environment}";

/** An environment's place as path parameters; it is found by its name or its id. */
const at = (project: string, environment: string) => ({ path: { project, environment } });

export const listEnvironments = (project: string, { filters, ...query }: ListQuery) =>
  unwrap(api.GET(ALL, { params: { path: { project }, query: { ...query, mine: filters.mine === "true", state: filters.state as WorkloadState | undefined } } }));

export const getEnvironment = (project: string, environment: string) => unwrap(api.GET(ONE, { params: at(project, environment) }));

export const createEnvironment = (project: string, body: EnvironmentBody) => unwrap(api.POST(ALL, { params: { path: { project } }, body }));

export const changeEnvironment = (project: string, environment: string, body: EnvironmentPatch) => unwrap(api.PATCH(ONE, { params: at(project, environment), body }));

/** A new SSH password: the given one, or one the server makes, which is in the answer, once. */
export const resetPassword = (project: string, environment: string, password: string | null) => unwrap(api.POST(`${ONE}/password`, { params: at(project, environment), body: { password } }));

/** The server wants the name typed again, as the user did. */
export const deleteEnvironment = (project: string, environment: string, confirm: string) => unwrap(api.DELETE(ONE, { params: { ...at(project, environment), query: { confirm } } }));

export const startEnvironment = (project: string, environment: string) => unwrap(api.POST(`${ONE}/start`, { params: at(project, environment) }));

export const stopEnvironment = (project: string, environment: string) => unwrap(api.POST(`${ONE}/stop`, { params: at(project, environment) }));

/** Whoever looks at the warning uses it: it is not idle any more. */
export const keepAlive = (project: string, environment: string) => unwrap(api.POST(`${ONE}/keep-alive`, { params: at(project, environment) }));

export const copyEnvironment = (project: string, environment: string, body: { name: string; password: string | null }) => unwrap(api.POST(`${ONE}/copy`, { params: at(project, environment), body }));

export const saveImage = (project: string, environment: string, body: { name: string; version: string; description: string }) =>
  unwrap(api.POST(`${ONE}/save-image`, { params: at(project, environment), body }));

/** Where the app is, good for a short while: it carries a ticket. */
export const openApp = (project: string, environment: string, app: EnvironmentApp, port?: number) => unwrap(api.POST(`${ONE}/open`, { params: { ...at(project, environment), query: { app, port } } }));
