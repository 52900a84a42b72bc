/** What the browser keeps of changes the server has not stored yet. */
import type { Clash } from "../model/merge";
import type { Annotation, ItemState } from "../model/types";

/** One state of an item to be stored; its id is the request's Idempotency-Key, so that sending it twice stores it once. */
export interface Entry {
  id: string;
  annotations: readonly Annotation[];
  /** Null: as the server decides from the annotations. */
  state: ItemState | null;
}

export interface JournalRecord {
  key: string;
  user: string;
  version: string;
  seq: number;
  /** The page that keeps it up; adopted by another when that page is gone. */
  client: string;
  /** The revision the changes were made on, and what it said. */
  base: number | null;
  baseBody: readonly Annotation[];
  latest: Entry;
  /** Sent and not answered: goes again under the same id before anything newer. */
  sent: Entry | null;
  /** Somebody else changed the same annotations; the user has to choose. */
  clash: { clashes: Clash[]; merged: readonly Annotation[]; by: string | null } | null;
  /** The server will not take it; kept until the user decides. */
  refusal: { code: string; message: string } | null;
  at: number;
}

export function recordKey(of: { user: string; version: string; seq: number; client: string }): string {
  return `${of.user}|${of.version}|${of.seq}|${of.client}`;
}
