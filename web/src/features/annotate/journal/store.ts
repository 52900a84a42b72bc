/** Where records are kept: IndexedDB, and for the moment between leaving the page and its last write, local storage. */
import type { Annotation } from "../model/types";
import { annotationsText } from "./annotation-text";
import type { Entry, JournalRecord } from "./record";

export interface JournalStore {
  /** False: gone with the page, so leaving has to be warned about. */
  readonly isDurable: boolean;
  list(user: string, version: string): Promise<JournalRecord[]>;
  put(record: JournalRecord): Promise<void>;
  delete(key: string): Promise<void>;
}

const DATABASE = "tidemill-annotate";
const STORE = "journal";
const BRIDGE = "tidemill.journal.";
const MANY = 1000;

export async function openJournal(): Promise<JournalStore> {
  try {
    const store = new IndexedJournal(await openDatabase());
    await store.crossBridges();
    return store;
  } catch (error) {
    // Storage forbidden by the browser's settings: work goes on, and the page says that it is not protected.
    if (error instanceof DOMException || error instanceof ReferenceError) return new MemoryJournal();
    throw error;
  }
}

export class MemoryJournal implements JournalStore {
  readonly isDurable: boolean = false;
  readonly records = new Map<string, JournalRecord>();

  async list(user: string, version: string): Promise<JournalRecord[]> {
    return [...this.records.values()].filter((record) => record.user === user && record.version === version);
  }

  async put(record: JournalRecord): Promise<void> {
    this.records.set(record.key, structuredClone(record));
  }

  async delete(key: string): Promise<void> {
    this.records.delete(key);
  }
}

class IndexedJournal implements JournalStore {
  readonly isDurable = true;
  /** Handed to the database and not yet confirmed; null: a deletion. */
  private readonly unwritten = new Map<string, JournalRecord | null>();

  private frame: Promise<void> | null = null;

  constructor(private readonly database: IDBDatabase) {
    window.addEventListener("pagehide", () => this.buildBridges());
  }

  async list(user: string, version: string): Promise<JournalRecord[]> {
    const store = this.database.transaction(STORE, "readonly").objectStore(STORE);
    return (await answer<PackedRecord[]>(store.index("version").getAll([user, version]))).map(unpacked);
  }

  put(record: JournalRecord): Promise<void> {
    return this.write(record.key, record, (store) => store.put(packed(record)));
  }

  delete(key: string): Promise<void> {
    return this.write(key, null, (store) => store.delete(key));
  }

  /** Writes what was under way when the page was left the last time. */
  async crossBridges(): Promise<void> {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(BRIDGE));
    for (const key of keys) {
      const record = JSON.parse(localStorage.getItem(key) ?? "null") as JournalRecord | null;
      if (record) await this.put(record);
      localStorage.removeItem(key);
    }
  }

  private async write(key: string, record: JournalRecord | null, change: (store: IDBObjectStore) => void): Promise<void> {
    this.unwritten.set(key, record);
    if (this.frame || (record && record.latest.annotations.length > MANY)) await this.afterFrame();
    const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
    change(transaction.objectStore(STORE));
    transaction.commit();
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
    });
    if (this.unwritten.get(key) === record) this.unwritten.delete(key);
  }

  /** Copying very many shapes takes a while: there the change is shown first. Until then the bridge holds it; order stays. */
  private afterFrame(): Promise<void> {
    this.frame ??= nextFrame().finally(() => (this.frame = null));
    return this.frame;
  }

  /** A database write may die with the page; a write to local storage is done when it returns. */
  private buildBridges(): void {
    for (const [key, record] of this.unwritten) {
      try {
        if (record) localStorage.setItem(BRIDGE + key, JSON.stringify(record));
      } catch (error) {
        if (!(error instanceof DOMException)) throw error; // full: the database write is all there is
      }
    }
  }
}

/** Lists of annotations as text: thousands of shapes are copied at once instead of one by one. */
type PackedRecord = Omit<JournalRecord, "baseBody" | "latest" | "sent"> & { baseBody: string; latest: PackedEntry; sent: PackedEntry | null };
type PackedEntry = Omit<Entry, "annotations"> & { annotations: string };

function packed(record: JournalRecord): PackedRecord {
  const entry = (one: Entry): PackedEntry => ({ ...one, annotations: annotationsText(one.annotations) });
  return { ...record, baseBody: annotationsText(record.baseBody), latest: entry(record.latest), sent: record.sent && entry(record.sent) };
}

function unpacked(record: PackedRecord): JournalRecord {
  const entry = (one: PackedEntry): Entry => ({ ...one, annotations: JSON.parse(one.annotations) as Annotation[] });
  const latest = entry(record.latest);
  // What was sent and not changed since is one entry, not two.
  const sent = record.sent?.id === latest.id ? latest : record.sent && entry(record.sent);
  return { ...record, baseBody: JSON.parse(record.baseBody) as Annotation[], latest, sent };
}

const FRAME_AT_MOST_MS = 50;

/** When the next frame has been drawn; soon all the same where none is, as in a page nobody sees. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, FRAME_AT_MOST_MS);
    requestAnimationFrame(() => {
      window.clearTimeout(timer);
      window.setTimeout(resolve, 0);
    });
  });
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(STORE, { keyPath: "key" }).createIndex("version", ["user", "version"]);
  };
  return answer(request);
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new DOMException("failed", "UnknownError"));
  });
}
