// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outbox } from "@/features/annotate/journal/outbox";
import type { SendResult } from "@/features/annotate/journal/outbox";
import type { Entry } from "@/features/annotate/journal/record";
import { MemoryJournal } from "@/features/annotate/journal/store";
import { isSame } from "@/features/annotate/model/merge";
import type { Annotation } from "@/features/annotate/model/types";

const box = (id: string, x = 0): Annotation => ({ id, type: "box", label: 1, x, y: 0, w: 1, h: 1 });

/** A server as the contract has it: revisions, conflicts, and keys that are kept. */
class FakeServer {
  revision: number | null = null;
  body: Annotation[] = [];
  saves = 0;
  mode: "fine" | "away" | "drop" | "refuse" = "fine";
  private readonly keys = new Map<string, number>();

  send = async (_seq: number, entry: Entry, base: number | null): Promise<SendResult> => {
    if (this.mode === "away") return { kind: "away" };
    if (this.mode === "refuse") return { kind: "refused", code: "label_unknown", message: "no such label" };
    const done = this.keys.get(entry.id);
    if (done !== undefined) return { kind: "stored", stored: { revision: done, state: "labelled" } };
    if (base !== this.revision) return { kind: "conflict", revision: this.revision, annotations: this.body, state: "labelled", by: "bob" };
    this.write([...entry.annotations]);
    this.keys.set(entry.id, this.revision ?? 0);
    if (this.mode === "drop") {
      this.mode = "fine";
      return { kind: "away" };
    }
    return { kind: "stored", stored: { revision: this.revision, state: "labelled" } };
  };

  write(body: Annotation[]): void {
    this.body = body;
    this.revision = (this.revision ?? 0) + 1;
    this.saves++;
  }
}

const nothing = { base: null, baseBody: [] };
const pages = { alive: async () => new Set<string>(), close: () => undefined };
let server: FakeServer;
let store: MemoryJournal;

function open(client: string, more: Partial<ConstructorParameters<typeof Outbox>[0]> = {}): Outbox {
  return new Outbox({ user: "ann", version: "v1", client, store, pages, send: server.send, ...more });
}

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  store = new MemoryJournal();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the outbox", () => {
  it("journals at once, sends within a second, and forgets when it is stored", async () => {
    const outbox = open("a");
    outbox.put(1, { annotations: [box("x")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.records.size).toBe(1);
    expect(outbox.getStatus().waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.body).toEqual([box("x")]);
    expect(store.records.size).toBe(0);
    expect(outbox.getStatus().waiting).toBe(0);
  });

  it("sends within a second also while one goes on drawing", async () => {
    let on: { base: number | null; baseBody: readonly Annotation[] } = nothing;
    const outbox = open("a", { onStored: (_seq, { revision }, annotations) => (on = { base: revision, baseBody: annotations }) });
    for (let i = 0; i < 12; i++) {
      outbox.put(1, { annotations: [box("x", i)], state: null }, on);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(server.saves).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.body).toEqual([box("x", 11)]);
    expect(store.records.size).toBe(0);
  });

  it("keeps everything while the server is away and sends it when it is back", async () => {
    server.mode = "away";
    const outbox = open("a");
    outbox.put(1, { annotations: [box("x")], state: "labelled" }, nothing);
    await vi.advanceTimersByTimeAsync(5000);
    expect(outbox.getStatus()).toMatchObject({ waiting: 1, isAway: true });
    expect(store.records.size).toBe(1);
    server.mode = "fine";
    await vi.advanceTimersByTimeAsync(20_000);
    expect(outbox.getStatus()).toMatchObject({ waiting: 0, isAway: false });
    expect(server.body).toEqual([box("x")]);
  });

  it("stores once what was stored although the answer was lost, and goes on from there", async () => {
    server.mode = "drop";
    const outbox = open("a");
    outbox.put(1, { annotations: [box("x")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(500);
    outbox.put(1, { annotations: [box("x"), box("y")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.saves).toBe(2);
    expect(server.body.map((one) => one.id)).toEqual(["x", "y"]);
    expect(store.records.size).toBe(0);
  });

  it("is taken over by the next page, also in the middle of sending", async () => {
    server.mode = "drop";
    const first = open("a");
    first.put(1, { annotations: [box("x")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(500);
    first.put(1, { annotations: [box("x"), box("y")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(0);
    // The page dies here; its journal is all there is.
    const left = structuredClone([...store.records.entries()]);
    vi.clearAllTimers();
    store = new MemoryJournal();
    left.forEach(([key, record]) => store.records.set(key, record));
    const second = open("b");
    await second.start();
    expect(second.find(1)?.latest.annotations).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(server.saves).toBe(2);
    expect(server.body.map((one) => one.id)).toEqual(["x", "y"]);
    expect(store.records.size).toBe(0);
  });

  it("leaves alone what another page of the same user is at", async () => {
    const other = open("a");
    server.mode = "away";
    other.put(1, { annotations: [box("x")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(0);
    const mine = open("b", { pages: { ...pages, alive: async () => new Set(["a"]) } });
    await mine.start();
    expect(mine.find(1)).toBeNull();
  });

  it("never sends another user's changes", async () => {
    server.mode = "away";
    open("a").put(1, { annotations: [box("x")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(0);
    server.mode = "fine";
    const other = open("b", { user: "bob" });
    await other.start();
    expect(other.getStatus().waiting).toBe(0);
  });

  it("joins what somebody else has stored meanwhile", async () => {
    const merged = vi.fn();
    const outbox = open("a", { onMerged: merged });
    server.write([box("theirs")]);
    outbox.put(1, { annotations: [box("mine")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(3000);
    expect(server.body.map((one) => one.id)).toEqual(["theirs", "mine"]);
    expect(merged).toHaveBeenCalledOnce();
    expect(outbox.getStatus().clashes).toEqual([]);
  });

  it("waits for a choice where both changed the same, overwriting nothing", async () => {
    server.write([box("x")]);
    const outbox = open("a");
    const base = { base: server.revision, baseBody: [box("x")] };
    server.write([box("x", 5)]);
    outbox.put(1, { annotations: [box("x", 9)], state: null }, base);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(server.body).toEqual([box("x", 5)]);
    expect(outbox.getStatus().clashes).toEqual([1]);
    const next = open("b");
    await next.start();
    expect(next.getStatus().clashes).toEqual([1]);
    next.settle(1, [box("x", 9)]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.body).toEqual([box("x", 9)]);
    expect(next.getStatus()).toMatchObject({ waiting: 0, clashes: [] });
  });

  it("keeps what the server refuses until the user decides", async () => {
    server.mode = "refuse";
    const outbox = open("a");
    outbox.put(1, { annotations: [box("x")], state: null }, nothing);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(outbox.getStatus().refused).toEqual([{ seq: 1, message: "no such label" }]);
    expect(store.records.size).toBe(1);
    server.mode = "fine";
    outbox.retry(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.body).toEqual([box("x")]);
    expect(outbox.getStatus().waiting).toBe(0);
  });

  it("loses nothing whatever happens between two people, dead pages and a failing network", async () => {
    let seed = 11;
    const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    const added = new Set<string>();
    let body: Annotation[] = [];
    let base: number | null = null;
    let outbox = open("p0", { onMerged: (_seq, next) => ([body, base] = [[...next.annotations], next.base]), onStored: (_seq, stored) => (base = stored.revision) });
    for (let round = 0; round < 120; round++) {
      const what = random();
      server.mode = what < 0.2 ? "away" : what < 0.3 ? "drop" : "fine";
      if (random() < 0.3) {
        added.add(`t${round}`);
        server.write([...server.body, box(`t${round}`)]);
      }
      added.add(`m${round}`);
      const before = { base, baseBody: outbox.find(1)?.baseBody ?? server.body.filter((one) => body.some((mine) => isSame(mine, one))) };
      body = [...body, box(`m${round}`)];
      outbox.put(1, { annotations: body, state: null }, before);
      await vi.advanceTimersByTimeAsync(random() * 1500);
      if (random() < 0.15) {
        vi.clearAllTimers();
        const journal = new MemoryJournal();
        for (const [key, record] of store.records) journal.records.set(key, structuredClone(record));
        store = journal;
        outbox = open(`p${round + 1}`, { onMerged: (_seq, next) => ([body, base] = [[...next.annotations], next.base]), onStored: (_seq, stored) => (base = stored.revision) });
        await outbox.start();
      }
    }
    server.mode = "fine";
    await vi.advanceTimersByTimeAsync(60_000);
    expect(new Set(server.body.map((one) => one.id))).toEqual(added);
    expect(store.records.size).toBe(0);
  });
});
