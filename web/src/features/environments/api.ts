/** Calls about dev environments. */
import { callJson } from "@/api/json";
import type { Page } from "@/api/types";
import type { ListQuery } from "@/ui/list/types";
import type { EnvironmentApp, EnvironmentBody, EnvironmentView, SavedImage } from "./types";

const base = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}/environments`;
const one = (project: string, id: string) => `${base(project)}/${encodeURIComponent(id)}`;

export const listEnvironments = (project: string, { q, sort, limit, cursor }: ListQuery) =>
  callJson<Page<EnvironmentView>>("GET", base(project), { query: { q, sort, limit, cursor } });

export const getEnvironment = (project: string, id: string) => callJson<EnvironmentView>("GET", one(project, id));

export const createEnvironment = (project: string, body: EnvironmentBody) => callJson<EnvironmentView>("POST", base(project), { body });

export type EnvironmentPatch = Partial<Pick<EnvironmentBody, "description" | "image" | "spec" | "nodes" | "time_limit_s" | "idle_limit_s">>;

export const changeEnvironment = (project: string, id: string, body: EnvironmentPatch) => callJson<EnvironmentView>("PATCH", one(project, id), { body });

/** A new SSH password: the given one, or one the server makes. Either is in the answer, once. */
export const resetPassword = (project: string, id: string, password: string | null) => callJson<EnvironmentView>("POST", `${one(project, id)}/password`, { body: { password } });

/** The server wants the name typed again, as the user did. */
export const deleteEnvironment = (project: string, id: string, confirm: string) => callJson<unknown>("DELETE", one(project, id), { query: { confirm } });

export const startEnvironment = (project: string, id: string) => callJson<EnvironmentView>("POST", `${one(project, id)}/start`);

export const stopEnvironment = (project: string, id: string) => callJson<EnvironmentView>("POST", `${one(project, id)}/stop`);

/** Whoever looks at the warning uses it: it is not idle any more. */
export const keepAlive = (project: string, id: string) => callJson<EnvironmentView>("POST", `${one(project, id)}/keep-alive`);

export const copyEnvironment = (project: string, id: string, body: { name: string; password: string | null }) => callJson<EnvironmentView>("POST", `${one(project, id)}/copy`, { body });

export const saveImage = (project: string, id: string, body: { name: string; version: string; description: string }) => callJson<SavedImage>("POST", `${one(project, id)}/save-image`, { body });

/** Where the app is, good for a short while: it carries a ticket. */
export const openApp = (project: string, id: string, app: EnvironmentApp, port?: number) => callJson<{ url: string }>("POST", `${one(project, id)}/open`, { query: { app, port } });
