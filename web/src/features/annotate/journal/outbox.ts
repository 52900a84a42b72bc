/**
 * Nothing is lost: every change is written to the journal at once, sent within a second, and leaves the journal only when
 * the server has stored it. What could not be sent goes again when the network, the session or the page is back.
 */
import { newId } from "../model/ids";
import { isSame, merge } from "../model/merge";
import type { Annotation, ItemState } from "../model/types";
import type { Pages } from "./pages";
import { recordKey } from "./record";
import type { Entry, JournalRecord } from "./record";
import type { JournalStore } from "./store";

const SEND_AFTER_MS = 400;
const SEND_AT_LATEST_MS = 900;
const AT_ONCE = 4;
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 15_000;

export interface Stored {
  revision: number | null;
  state: ItemState;
}

export type SendResult =
  | { kind: "stored"; stored: Stored }
  | { kind: "conflict"; revision: number | null; annotations: Annotation[]; state: ItemState | null; by: string | null }
  | { kind: "away" }
  | { kind: "refused"; code: string; message: string };

export interface OutboxStatus {
  /** Items with changes that are not stored. */
  waiting: number;
  isAway: boolean;
  clashes: number[];
  refused: { seq: number; message: string }[];
  isProtected: boolean;
}

export interface OutboxParts {
  user: string;
  version: string;
  store: JournalStore;
  pages: Pages;
  client: string;
  send: (seq: number, entry: Entry, base: number | null) => Promise<SendResult>;
  /** The item was stored as this. */
  onStored?: (seq: number, stored: Stored, annotations: readonly Annotation[]) => void;
  /** Somebody else's changes came in: this is the item now, on this base. */
  onMerged?: (seq: number, merged: { base: number | null; baseBody: readonly Annotation[]; annotations: readonly Annotation[] }) => void;
}

interface Slot {
  record: JournalRecord;
  isSending: boolean;
  changedAt: number;
  timer: number;
}

export class Outbox {
  private readonly slots = new Map<number, Slot>();
  /** Left by pages that are gone, for items that have something waiting already. */
  private orphans: JournalRecord[] = [];
  private readonly listeners = new Set<() => void>();
  private status: OutboxStatus;
  private isAway = false;
  private retryMs = RETRY_FIRST_MS;
  private retryTimer = 0;

  constructor(private readonly parts: OutboxParts) {
    this.status = { waiting: 0, isAway: false, clashes: [], refused: [], isProtected: parts.store.isDurable };
  }

  /** Takes up what earlier pages of this user left behind, and sends it. */
  async start(): Promise<void> {
    const { store, user, version, client, pages } = this.parts;
    const found = (await store.list(user, version)).filter((record) => record.client !== client);
    const alive = found.length > 0 ? await pages.alive([...new Set(found.map((record) => record.client))]) : new Set<string>();
    this.orphans = found.filter((record) => !alive.has(record.client)).sort((a, b) => a.at - b.at);
    await this.adopt();
    this.told();
    this.flush();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getStatus = (): OutboxStatus => this.status;

  find(seq: number): JournalRecord | null {
    return this.slots.get(seq)?.record ?? null;
  }

  /** The item is to be stored like this. `on`: what it was made from, if nothing of it is waiting already. */
  put(seq: number, next: { annotations: readonly Annotation[]; state: ItemState | null }, on: { base: number | null; baseBody: readonly Annotation[] }): void {
    const latest: Entry = { id: newId(24), ...next };
    const slot = this.slots.get(seq);
    const now = Date.now();
    if (slot) {
      slot.record = { ...slot.record, latest: { ...latest, state: next.state ?? slot.record.latest.state }, refusal: null, at: now };
      this.keep(slot);
    } else {
      const { user, version, client } = this.parts;
      const record: JournalRecord = { key: recordKey({ user, version, seq, client }), user, version, seq, client, ...on, latest, sent: null, clash: null, refusal: null, at: now };
      this.slots.set(seq, { record, isSending: false, changedAt: now, timer: 0 });
      this.keep(this.slots.get(seq) as Slot);
    }
    this.plan(this.slots.get(seq) as Slot);
    this.told();
  }

  /** Everything that can go goes now. */
  flush(): void {
    for (const slot of this.slots.values()) void this.send(slot);
  }

  /** The user has decided a clash. */
  settle(seq: number, annotations: readonly Annotation[]): void {
    const slot = this.slots.get(seq);
    if (!slot) return;
    slot.record = { ...slot.record, latest: { id: newId(24), annotations, state: slot.record.latest.state }, clash: null };
    this.keep(slot);
    this.told();
    void this.send(slot);
  }

  retry(seq: number): void {
    const slot = this.slots.get(seq);
    if (!slot) return;
    slot.record = { ...slot.record, refusal: null };
    void this.send(slot);
    this.told();
  }

  /** The user gives the change up. */
  async discard(seq: number): Promise<void> {
    const slot = this.slots.get(seq);
    if (slot) await this.drop(slot);
  }

  private plan(slot: Slot): void {
    window.clearTimeout(slot.timer);
    if (slot.timer === 0) slot.changedAt = Date.now();
    const wait = Math.min(SEND_AFTER_MS, Math.max(0, slot.changedAt + SEND_AT_LATEST_MS - Date.now()));
    slot.timer = window.setTimeout(() => {
      slot.timer = 0;
      void this.send(slot);
    }, wait);
  }

  private async send(slot: Slot): Promise<void> {
    const { record } = slot;
    if (slot.isSending || record.clash || record.refusal || this.sending() >= AT_ONCE) return;
    window.clearTimeout(slot.timer);
    slot.timer = 0;
    slot.isSending = true;
    const entry = record.sent ?? record.latest;
    slot.record = { ...record, sent: entry };
    // What is under way is known to the journal before the server hears of it.
    await this.write(slot);
    const result = await this.parts.send(record.seq, entry, record.base);
    slot.isSending = false;
    await this.answered(slot, entry, result);
    this.told();
    this.sendNext();
  }

  private async answered(slot: Slot, entry: Entry, result: SendResult): Promise<void> {
    if (result.kind === "away") return this.away();
    this.isAway = false;
    this.retryMs = RETRY_FIRST_MS;
    if (result.kind === "stored") return this.stored(slot, entry, result.stored);
    if (result.kind === "conflict") return this.conflicted(slot, result);
    slot.record = { ...slot.record, sent: null, refusal: { code: result.code, message: result.message } };
    this.keep(slot);
  }

  private async stored(slot: Slot, entry: Entry, stored: Stored): Promise<void> {
    const { record } = slot;
    this.parts.onStored?.(record.seq, stored, entry.annotations);
    if (record.latest.id === entry.id) return this.drop(slot);
    slot.record = { ...record, base: stored.revision, baseBody: entry.annotations, sent: null };
    this.keep(slot);
    this.plan(slot);
  }

  private async conflicted(slot: Slot, theirs: Extract<SendResult, { kind: "conflict" }>): Promise<void> {
    const { record } = slot;
    const { merged, clashes } = merge(record.baseBody, record.latest.annotations, theirs.annotations);
    const on = { base: theirs.revision, baseBody: theirs.annotations as readonly Annotation[] };
    if (clashes.length > 0) {
      slot.record = { ...record, ...on, sent: null, clash: { clashes, merged, by: theirs.by } };
      return this.keep(slot);
    }
    this.parts.onMerged?.(record.seq, { ...on, annotations: merged });
    const isNothingNew = isSame(merged, theirs.annotations) && (record.latest.state === null || record.latest.state === theirs.state);
    if (isNothingNew) return this.drop(slot);
    slot.record = { ...record, ...on, sent: null, latest: { id: newId(24), annotations: merged, state: record.latest.state } };
    this.keep(slot);
    void this.send(slot);
  }

  private away(): void {
    this.isAway = true;
    window.clearTimeout(this.retryTimer);
    this.retryTimer = window.setTimeout(() => this.flush(), this.retryMs);
    this.retryMs = Math.min(RETRY_MOST_MS, this.retryMs * 2);
  }

  private async drop(slot: Slot): Promise<void> {
    window.clearTimeout(slot.timer);
    this.slots.delete(slot.record.seq);
    await this.parts.store.delete(slot.record.key);
    await this.adopt();
    this.told();
  }

  /** One orphan an item at a time: it is merged with what the item has become by then. */
  private async adopt(): Promise<void> {
    const { store, user, version, client } = this.parts;
    const later: JournalRecord[] = [];
    for (const record of this.orphans) {
      if (this.slots.has(record.seq)) {
        later.push(record);
        continue;
      }
      const own = { ...record, client, key: recordKey({ user, version, seq: record.seq, client }) };
      const slot: Slot = { record: own, isSending: false, changedAt: Date.now(), timer: 0 };
      this.slots.set(record.seq, slot);
      await store.put(own);
      await store.delete(record.key);
    }
    this.orphans = later;
  }

  private keep(slot: Slot): void {
    void this.write(slot);
  }

  private async write(slot: Slot): Promise<void> {
    try {
      await this.parts.store.put(slot.record);
    } catch (error) {
      // The disk is full or storage was taken away: sending goes on, and the page says that it is not protected.
      if (!(error instanceof DOMException)) throw error;
      this.status = { ...this.status, isProtected: false };
      this.told();
    }
  }

  private sending(): number {
    return [...this.slots.values()].filter((slot) => slot.isSending).length;
  }

  private sendNext(): void {
    if (this.isAway) return;
    for (const slot of this.slots.values()) if (!slot.isSending && slot.timer === 0) void this.send(slot);
  }

  private told(): void {
    const records = [...this.slots.values()].map((slot) => slot.record);
    this.status = {
      ...this.status,
      waiting: this.slots.size + this.orphans.length,
      isAway: this.isAway && this.slots.size > 0,
      clashes: records.filter((record) => record.clash).map((record) => record.seq),
      refused: records.filter((record) => record.refusal).map((record) => ({ seq: record.seq, message: record.refusal?.message ?? "" })),
    };
    this.listeners.forEach((listener) => listener());
  }
}
