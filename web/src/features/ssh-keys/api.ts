import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";

export type SshKeyView = components["schemas"]["SshKeyView"];

export const listSshKeys = (query: { limit: number; cursor?: string }) => unwrap(api.GET("/api/v1/me/ssh-keys", { params: { query } }));

export const addSshKey = (body: { name: string; public_key: string }) => unwrap(api.POST("/api/v1/me/ssh-keys", { body }));

export const removeSshKey = (key: string) => unwrap(api.DELETE("/api/v1/me/ssh-keys/{key}", { params: { path: { key } } }));
