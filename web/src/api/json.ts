/** Calls whose address is put together at run time; everything else goes through the typed client. */
import { guardedFetch } from "./client";
import { ApiFailure } from "./failure";

export type Query = Record<string, string | number | boolean | null | undefined>;

export function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

export async function callJson<T>(method: string, path: string, { query, body, signal }: { query?: Query; body?: unknown; signal?: AbortSignal } = {}): Promise<T> {
  const init: RequestInit = { method, signal };
  if (body !== undefined) Object.assign(init, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  const response = await guardedFetch(address(path, query), init);
  if (!response.ok) throw await ApiFailure.from(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
