import { callJson } from "@/api/json";
import type { Page } from "@/api/types";

export interface SshKeyView {
  id: string;
  name: string;
  fingerprint: string;
  public_key: string;
  created_at: string;
  last_used_at: string | null;
}

const BASE = "/api/v1/me/ssh-keys";

export const listSshKeys = (query: { limit: number; cursor?: string }) => callJson<Page<SshKeyView>>("GET", BASE, { query });

export const addSshKey = (body: { name: string; public_key: string }) => callJson<SshKeyView>("POST", BASE, { body });

export const removeSshKey = (id: string) => callJson<unknown>("DELETE", `${BASE}/${encodeURIComponent(id)}`);
