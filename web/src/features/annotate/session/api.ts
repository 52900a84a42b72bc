/** The workbench's calls to the server. */
import { guardedFetch } from "@/api/client";
import { ApiFailure, NetworkFailure } from "@/api/failure";
import { address, callJson } from "@/api/json";
import { annotationsText } from "../journal/annotation-text";
import type { Entry } from "../journal/record";
import type { SendResult } from "../journal/outbox";
import type { DatasetType } from "../model/kinds";
import type { Annotation, Item, ItemState, Label } from "../model/types";

export interface VersionPlace {
  project: string;
  dataset: string;
  version: string;
}

export interface VersionInfo {
  id: string;
  number: number;
  data_type: string;
  annotation_type: DatasetType;
  work: string;
  items: number;
  states: Partial<Record<ItemState, number>>;
  /** Markdown. */
  guidelines: string;
  /** Items that show good annotation. */
  examples: number[];
  can_annotate: boolean;
}

export interface ItemFilter {
  state?: ItemState;
  label?: number;
  q?: string;
}

/** As they came, or as a model's doubts have it: only what a model has looked at is in those orders. */
export type ItemOrder = "seq" | "uncertainty" | "surprise";

export interface ItemPage {
  items: Item[];
  next: string | null;
  total: number;
  total_capped: boolean;
}

export interface Api {
  version(): Promise<VersionInfo>;
  labels(): Promise<Label[]>;
  addLabel(name: string, parent: number | null): Promise<Label>;
  saveGuidelines(guidelines: string): Promise<void>;
  saveExamples(examples: number[]): Promise<void>;
  /** After (or, backwards, before) the item of that number; from the end there is when it is null. */
  items(filter: ItemFilter, from: number | null, options: { limit: number; isBackwards?: boolean; withAnnotations?: boolean }): Promise<ItemPage>;
  /** Least certain or most surprising first, with annotations. */
  ordered(filter: ItemFilter, order: ItemOrder, cursor: string | null, limit: number): Promise<ItemPage>;
  item(seq: number): Promise<Item>;
  content(seq: number, signal?: AbortSignal): Promise<Blob>;
  contentAddress(item: Item): string;
  thumbnailAddress(item: Item, size: number): string;
  save(seq: number, entry: Entry, base: number | null): Promise<SendResult>;
}

export function apiOf({ project, dataset, version }: VersionPlace): Api {
  const base = `/api/v1/projects/${encodeURIComponent(project)}/datasets/${encodeURIComponent(dataset)}/versions/${encodeURIComponent(version)}`;
  return {
    version: () => callJson("GET", base),
    labels: async () => (await callJson<{ items: Label[] }>("GET", `${base}/labels`)).items,
    addLabel: async (name, parent) => {
      const { items } = await callJson<{ items: Label[] }>("POST", `${base}/labels`, { body: { labels: [{ name, parent }] } });
      return items[0] as Label; // one was asked for
    },
    saveGuidelines: (guidelines) => callJson("PATCH", `${base}/guidance`, { body: { guidelines } }),
    saveExamples: (examples) => callJson("PATCH", `${base}/guidance`, { body: { examples } }),
    items: (filter, from, { limit, isBackwards, withAnnotations }) =>
      callJson("GET", `${base}/items`, { query: { ...filter, after: from, limit, sort: isBackwards ? "-seq" : "seq", with: withAnnotations ? "annotations" : null } }),
    ordered: (filter, sort, cursor, limit) => callJson("GET", `${base}/items`, { query: { ...filter, sort, cursor, limit, with: "annotations,doubt" } }),
    item: (seq) => callJson("GET", `${base}/items/${seq}`),
    content: async (seq, signal) => {
      const response = await guardedFetch(`${base}/items/${seq}/content`, { signal });
      if (!response.ok) throw await ApiFailure.from(response);
      return response.blob();
    },
    contentAddress: (item) => `${base}/items/${item.seq}/content`,
    // The digest keeps a cached picture from being shown for another item of the same number.
    thumbnailAddress: (item, size) => address(`${base}/items/${item.seq}/thumbnail`, { size, digest: item.digest.slice(0, 12) }),
    save: (seq, entry, on) => save(`${base}/items/${seq}/annotations`, entry, on),
  };
}

async function save(path: string, entry: Entry, base: number | null): Promise<SendResult> {
  const state = entry.state ? `,"state":${JSON.stringify(entry.state)}` : "";
  const body = `{"base":${JSON.stringify(base)},"annotations":${annotationsText(entry.annotations)}${state}}`;
  try {
    const response = await guardedFetch(path, { method: "PUT", body, headers: { "Content-Type": "application/json", "Idempotency-Key": entry.id } });
    if (response.ok) return { kind: "stored", stored: (await response.json()) as { revision: number | null; state: ItemState } };
    return refusal(await ApiFailure.from(response));
  } catch (error) {
    // Cut off in the middle of the answer is as good as not reached: it is sent again under the same id.
    if (error instanceof NetworkFailure || error instanceof TypeError) return { kind: "away" };
    throw error;
  }
}

interface Conflict {
  revision: number | null;
  state: ItemState;
  annotator: string | null;
  annotations: Annotation[];
}

function refusal(failure: ApiFailure): SendResult {
  if (failure.code === "annotation_conflict") {
    const { revision, annotations, state, annotator } = failure.body.details as Conflict;
    return { kind: "conflict", revision, annotations, state, by: annotator };
  }
  const isForNow = failure.status >= 500 || failure.status === 429 || failure.status === 401 || failure.code === "annotation_race";
  return isForNow ? { kind: "away" } : { kind: "refused", code: failure.code, message: failure.message };
}
