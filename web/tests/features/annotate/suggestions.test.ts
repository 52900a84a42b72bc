// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import { ACTIONS, findAction } from "@/features/annotate/actions";
import type { Hands } from "@/features/annotate/actions";
import { annotatePath, wantedIn, withWanted } from "@/features/annotate/addresses";
import type { Outbox } from "@/features/annotate/journal/outbox";
import { certaintyOf, decided, nextSuggestion, stateAfter, suggestionsIn, taken } from "@/features/annotate/model/suggestions";
import type { Annotation, Item, Label } from "@/features/annotate/model/types";
import type { Api, VersionInfo } from "@/features/annotate/session/api";
import { ItemList } from "@/features/annotate/session/item-list";
import { Session } from "@/features/annotate/session/session";

const box = (id: string, more: Partial<Annotation> = {}): Annotation => ({ id, type: "box", label: 1, x: 0, y: 0, w: 9, h: 9, ...more }) as Annotation;
const proposed = (id: string, score = 0.9): Annotation => box(id, { auto: true, score, source: "boats@2" });
const item = (seq: number, annotations: Annotation[], state = "suggested"): Item => ({ seq, path: `${seq}.png`, revision: 1, state, annotations, info: {} }) as unknown as Item;

describe("suggestions", () => {
  it("are what a model proposed, not frames computed between others", () => {
    expect(suggestionsIn([proposed("1"), box("2"), box("3", { auto: true, track: "t" })]).map((one) => one.id)).toEqual(["1"]);
  });

  it("become annotations that still say where they came from, or go", () => {
    const list = [proposed("1"), box("2"), proposed("3")];
    expect(decided(list, "accept", new Set(["1"]))).toEqual([box("1", { source: "boats@2" }), box("2"), proposed("3")]);
    expect(decided(list, "reject").map((one) => one.id)).toEqual(["2"]);
  });

  it("keep their item suggested until all are decided", () => {
    expect(stateAfter("suggested", [box("1"), proposed("2")])).toBe("suggested");
    expect(stateAfter("suggested", [box("1")])).toBe("labelled");
    expect(stateAfter("suggested", [])).toBe("unlabelled");
    expect(stateAfter("rework", [box("1")])).toBeNull();
  });

  it("are a person's own once they were changed", () => {
    const [kept, moved] = [proposed("1"), proposed("2")];
    expect(taken([kept, moved], [kept, { ...moved, x: 5 } as Annotation])).toEqual([kept, box("2", { x: 5, source: "boats@2" } as Partial<Annotation>)]);
  });

  it("lead to the next that is left, and from the last to the first", () => {
    const list = [proposed("1"), proposed("2"), proposed("3")];
    expect(nextSuggestion(list, list.slice(0, 1).concat(list.slice(2)), new Set(["2"]))?.id).toBe("3");
    expect(nextSuggestion(list, list.slice(0, 2), new Set(["3"]))?.id).toBe("1");
    expect(nextSuggestion(list, [], new Set(["1", "2", "3"]))).toBeNull();
  });

  it("are as certain as the model said of the item, else as the least certain of them", () => {
    expect(certaintyOf({ state: "suggested", uncertainty: 0.25 }, [])).toBe(0.75);
    expect(certaintyOf({ state: "suggested" }, [proposed("1", 0.4), proposed("2", 0.8)])).toBe(0.4);
    expect(certaintyOf({ state: "labelled" }, [])).toBeNull();
  });
});

const labels = [
  { number: 1, name: "boat", colour: "" },
  { number: 2, name: "buoy", colour: "" },
] as Label[];

/** A session over these items whose saves are noted. */
async function opened(items: Item[], type = "detection") {
  const saved: { seq: number; state: string | null | undefined; annotations: readonly Annotation[] }[] = [];
  const outbox = {
    find: () => null,
    flush: () => undefined,
    subscribe: () => () => undefined,
    getStatus: () => ({ waiting: 0 }),
    put: (seq: number, { annotations, state }: { annotations: readonly Annotation[]; state: string | null }) => saved.push({ seq, state, annotations }),
  } as unknown as Outbox;
  const api = {
    items: async () => ({ items, next: null, total: items.length, total_capped: false }),
    item: async (seq: number) => items.find((one) => one.seq === seq),
    content: () => new Promise(() => undefined),
  } as unknown as Api;
  const version = { id: "v", annotation_type: type, can_annotate: true, states: {} } as unknown as VersionInfo;
  const session = new Session(api, outbox, version, labels, true);
  await session.list.open({ filter: {}, order: "seq", only: null }, null);
  await session.open(items[0]?.seq ?? 1);
  const hands = { isDrawing: () => false, notify: vi.fn(), finish: vi.fn() } as unknown as Hands;
  const press = async (key: string) => findAction(key, session, hands, {})?.run(session, hands);
  return { session, saved, hands, press };
}

describe("at the workbench", () => {
  it("Enter accepts the whole item and goes on to the next", async () => {
    const { session, saved, press } = await opened([item(1, [proposed("1"), proposed("2")]), item(2, [proposed("3")])]);
    await press("enter");
    expect(saved).toHaveLength(1);
    expect(saved[0]).toMatchObject({ seq: 1, state: "labelled" });
    expect(suggestionsIn(saved[0]?.annotations ?? [])).toEqual([]);
    expect(session.get().doc?.item.seq).toBe(2);
  });

  it("one that is chosen is decided alone, and the next is chosen", async () => {
    const { session, saved, press } = await opened([item(1, [proposed("1"), proposed("2")]), item(2, [])]);
    session.select(["1"]);
    await press("n");
    expect(saved.at(-1)).toMatchObject({ seq: 1, state: "suggested", annotations: [{ id: "2" }] });
    expect([...session.get().selection]).toEqual(["2"]);
    await press("y");
    expect(saved.at(-1)).toMatchObject({ seq: 1, state: "labelled" });
    expect(session.get().doc?.item.seq).toBe(2);
  });

  it("undo brings suggestions back as they were, with the item's state", async () => {
    const { session, saved, press } = await opened([item(1, [proposed("1")]), item(2, [])]);
    await press("n");
    expect(saved.at(-1)).toMatchObject({ state: "unlabelled", annotations: [] });
    await session.undo();
    expect(saved.at(-1)).toMatchObject({ seq: 1, state: "suggested", annotations: [proposed("1")] });
  });

  it("Enter finishes a drawing before it accepts anything", async () => {
    const { session, saved, hands } = await opened([item(1, [proposed("1")])]);
    const drawing = { ...hands, isDrawing: () => true } as Hands;
    expect(findAction("enter", session, drawing, {})?.id).toBe("finish");
    expect(saved).toEqual([]);
  });

  it("marking an item labelled accepts what is on it", async () => {
    const { session, saved } = await opened([item(1, [proposed("1")])]);
    session.setState("labelled");
    expect(saved.at(-1)).toMatchObject({ state: "labelled", annotations: [box("1", { source: "boats@2" })] });
  });

  it("a proposed class is put on by its key, and another replaces it", async () => {
    const guess = { id: "1", type: "class", label: 1, auto: true, score: 0.6, source: "m@1" } as Annotation;
    const { session, saved } = await opened([item(1, [guess])], "classification");
    session.useLabel(1);
    expect(saved.at(-1)).toMatchObject({ state: "labelled", annotations: [{ type: "class", label: 1 }] });
    expect(suggestionsIn(saved.at(-1)?.annotations ?? [])).toEqual([]);
    await session.undo();
    session.useLabel(2);
    expect(saved.at(-1)?.annotations).toMatchObject([{ type: "class", label: 2 }]);
  });

  it("ticked items are decided in one step that is undone in one", async () => {
    const { session, saved } = await opened([item(1, [proposed("1")]), item(2, [proposed("2")]), item(3, [box("3")], "labelled")]);
    expect(session.decideItems("accept", [1, 2, 3])).toBe(2);
    expect(saved.map(({ seq, state }) => [seq, state])).toEqual([[1, "labelled"], [2, "labelled"]]);
    await session.undo();
    expect(saved.slice(2).map(({ seq, state }) => [seq, state])).toEqual([[1, "suggested"], [2, "suggested"]]);
  });

  it("every key for suggestions is on the sheet", () => {
    expect(ACTIONS.filter((action) => action.group === "suggestions").map((action) => action.id)).toEqual(["accept", "reject", "nextSuggested"]);
  });
});

describe("what is gone through", () => {
  it("is in the address and comes back from it", () => {
    const path = annotatePath("p", "d", 3, 7, { state: "suggested", sort: "uncertainty" });
    expect(path).toBe("/p/p/datasets/d/versions/3/annotate?item=7&state=suggested&sort=uncertainty");
    expect(wantedIn(new URLSearchParams(path.split("?")[1]))).toEqual({ filter: { state: "suggested" }, order: "uncertainty", only: null });
    expect(wantedIn(new URLSearchParams("items=9.4.9.x&sort=odd")).only).toEqual([9, 4]);
    expect(withWanted(new URLSearchParams("items=1.2"), { filter: {}, order: "seq", only: null }, 5).toString()).toBe("item=5");
  });

  it("goes in the order that was asked for, not by number", async () => {
    const pages = [{ items: [item(9, []), item(4, [])], next: "c", total: 3, total_capped: false }, { items: [item(6, [])], next: null, total: 3, total_capped: false }];
    const asked: (string | null)[] = [];
    const api = { ordered: async (_filter: unknown, _order: unknown, cursor: string | null) => (asked.push(cursor), pages[asked.length - 1]) } as unknown as Api;
    const list = new ItemList(api, () => undefined);
    await list.open({ filter: {}, order: "uncertainty", only: null }, null);
    expect((await list.beside(9, 1))?.seq).toBe(4);
    expect((await list.beside(4, 1))?.seq).toBe(6);
    expect(await list.beside(6, 1)).toBeNull();
    expect(asked).toEqual([null, "c"]);
  });

  it("may be a few by number", async () => {
    const list = new ItemList({ item: async (seq: number) => item(seq, []) } as unknown as Api, () => undefined);
    await list.open({ filter: {}, order: "seq", only: [8, 3] }, 8);
    expect((await list.beside(8, 1))?.seq).toBe(3);
    expect(list.get().total).toBe(2);
  });
});
