/** What was asked for in this tab, so that after a trial the same can be done for good without typing it again. */
import type { ImportCreate, ImportView } from "../types";

const MOST = 20;
const kept = new Map<string, ImportCreate>();

/** Passwords and keys stay in this page's memory only, and go with it. */
export function keepBody({ id }: Pick<ImportView, "id">, body: ImportCreate): void {
  kept.set(id, body);
  const [oldest] = kept.keys();
  if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
}

export function findBody(id: string): ImportCreate | undefined {
  return kept.get(id);
}
