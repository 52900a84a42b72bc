/** The items' annotations as this page has them: what the server said, with what is waiting to be stored on top. */
import type { Outbox, Stored } from "../journal/outbox";
import type { Annotation, Item, ItemState } from "../model/types";
import type { Api } from "./api";

export interface Doc {
  item: Item;
  base: number | null;
  baseBody: readonly Annotation[];
  annotations: readonly Annotation[];
  state: ItemState;
}

/** So many are remembered; those with changes that wait always are. */
const MOST = 400;

export class Docs {
  private readonly docs = new Map<number, Doc>();
  private readonly loading = new Map<number, Promise<Doc>>();
  /** What this page stored last: an answer that was under way meanwhile may be older. */
  private readonly kept = new Map<number, Stored & { annotations: readonly Annotation[] }>();
  private readonly listeners = new Set<(seq: number) => void>();

  constructor(
    private readonly api: Api,
    private readonly outbox: () => Outbox,
  ) {}

  /** Told whenever what is known of an item has changed. */
  subscribe(listener: (seq: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  find(seq: number): Doc | null {
    return this.docs.get(seq) ?? null;
  }

  load(seq: number): Promise<Doc> {
    const known = this.docs.get(seq);
    if (known) return Promise.resolve(known);
    const under = this.loading.get(seq) ?? this.fetch(seq);
    this.loading.set(seq, under);
    return under;
  }

  /** What the server says now; kept unless changes of our own are waiting, which are merged when they are sent. */
  async refresh(seq: number): Promise<void> {
    if (this.outbox().find(seq)) return;
    const item = await this.api.item(seq);
    const known = this.docs.get(seq);
    if (known && known.base === item.revision && known.state === item.state) return;
    if (!this.outbox().find(seq)) this.take(item);
  }

  /** An item as it came from the server, with its annotations. */
  take(item: Item): Doc {
    const doc = this.docOf(item);
    this.put(item.seq, doc);
    return doc;
  }

  private docOf(item: Item): Doc {
    const waiting = this.outbox().find(item.seq);
    if (waiting) {
      const { base, baseBody, latest } = waiting;
      return { item, base, baseBody, annotations: latest.annotations, state: latest.state ?? implied(latest.annotations, item.state) };
    }
    const kept = this.kept.get(item.seq);
    // Revisions are numbered as they come.
    if (kept && (kept.revision ?? 0) > (item.revision ?? 0)) {
      const { revision, state, annotations } = kept;
      return { item: { ...item, revision, state }, base: revision, baseBody: annotations, annotations, state };
    }
    const body = item.annotations ?? [];
    return { item, base: item.revision, baseBody: body, annotations: body, state: item.state };
  }

  /** A change by the user: journaled, then shown. */
  change(seq: number, annotations: readonly Annotation[], state: ItemState | null): void {
    const doc = this.docs.get(seq);
    if (!doc) throw new Error(`item ${seq} is not loaded`);
    this.outbox().put(seq, { annotations, state }, { base: doc.base, baseBody: doc.baseBody });
    this.put(seq, { ...doc, annotations, state: state ?? implied(annotations, doc.state) });
  }

  stored(seq: number, stored: Stored, annotations: readonly Annotation[]): void {
    this.kept.set(seq, { ...stored, annotations });
    const doc = this.docs.get(seq);
    if (!doc) return;
    const isLatest = doc.annotations === annotations;
    this.put(seq, { ...doc, base: stored.revision, baseBody: annotations, state: isLatest ? stored.state : doc.state, item: { ...doc.item, revision: stored.revision, state: stored.state } });
  }

  merged(seq: number, next: { base: number | null; baseBody: readonly Annotation[]; annotations: readonly Annotation[] }): void {
    const doc = this.docs.get(seq);
    if (doc) this.put(seq, { ...doc, ...next });
  }

  private async fetch(seq: number): Promise<Doc> {
    try {
      return this.take(await this.api.item(seq));
    } finally {
      this.loading.delete(seq);
    }
  }

  private put(seq: number, doc: Doc): void {
    this.docs.delete(seq);
    this.docs.set(seq, doc);
    this.forgetSome();
    this.listeners.forEach((listener) => listener(seq));
  }

  private forgetSome(): void {
    if (this.docs.size <= MOST) return;
    for (const seq of this.docs.keys()) {
      if (this.docs.size <= MOST) return;
      if (this.outbox().find(seq)) continue;
      this.docs.delete(seq);
      this.kept.delete(seq);
    }
  }
}

/** As the server decides when no state is asked for. */
export function implied(annotations: readonly Annotation[], before: ItemState): ItemState {
  if (annotations.length > 0) return "labelled";
  return before === "labelled" ? "unlabelled" : before;
}
