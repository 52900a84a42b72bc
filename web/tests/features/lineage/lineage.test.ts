import { describe, expect, it } from "vitest";
import type { LineageEdge, LineageNode } from "@/features/assets/types";
import { aroundSelf, levelPath, placeLineage } from "@/features/lineage/layout";
import { splitLineage } from "@/features/lineage/reach";

const node = (id: string, isSelf = false): LineageNode => ({
  id,
  kind: "model",
  name: id,
  version: "1",
  project: "lab",
  label: `${id}@1`,
  exists: true,
  created_at: null,
  created_by: null,
  is_self: isSelf,
  link: null,
});
const edge = (from: string, to: string): LineageEdge => ({ from, to, relation: "made_from" });

const nodes = [node("data"), node("base"), node("self", true), node("child"), node("grandchild"), node("aside")];
const edges = [edge("data", "base"), edge("base", "self"), edge("self", "child"), edge("child", "grandchild"), edge("base", "aside")];

describe("lineage", () => {
  it("begins in a narrow window with the thing itself and what is joined to it", () => {
    expect(aroundSelf({ nodes, edges }).map(({ id }) => id)).toEqual(["base", "self", "child"]);
    expect(aroundSelf({ nodes: [node("self", true)], edges: [] })).toEqual([{ id: "self" }]);
  });

  it("is drawn from the left to the right", () => {
    const x = Object.fromEntries(placeLineage({ nodes, edges }, () => "used to make").nodes.map((placed) => [placed.node.id, placed.x]));
    expect([x.data, x.base, x.self, x.child, x.grandchild]).toEqual([x.data, x.base, x.self, x.child, x.grandchild].toSorted((a, b) => Number(a) - Number(b)));
    expect(x.aside).toBe(x.self);
  });

  it("has room for the words on each of its edges", () => {
    const wide = Array.from({ length: 6 }, (_, at) => node(`in${at}`));
    const dense = wide.flatMap(({ id }) => [edge(id, "base"), edge(id, "self"), { ...edge(id, "self"), relation: "trained_on" as const }]);
    const { edges: drawn } = placeLineage({ nodes: [...wide, node("base"), node("self", true)], edges: [...dense, edge("base", "self")] }, () => "used to make");
    expect(drawn).toHaveLength(dense.length + 1);
    const boxes = drawn.map(({ at }) => at);
    const crowded = boxes.flatMap((a, place) => boxes.slice(place + 1).filter((b) => Math.abs(a.x - b.x) < 70 && Math.abs(a.y - b.y) < 12));
    expect(crowded).toEqual([]);
  });

  it("is drawn through all points", () => {
    expect(levelPath([{ x: 0, y: 0 }, { x: 10, y: 4 }, { x: 20, y: 0 }])).toBe("M0 0C5 0 5 4 10 4C15 4 15 0 20 0");
    expect(levelPath([])).toBe("");
  });

  it("separates where it came from and what came from it", () => {
    const { sources, results } = splitLineage(nodes, edges);
    expect(sources.map(({ id }) => id)).toEqual(["base", "data"]);
    expect(results.map(({ id }) => id)).toEqual(["child", "grandchild"]);
  });

  it("survives a circle", () => {
    expect(splitLineage([node("a", true), node("b")], [edge("a", "b"), edge("b", "a")]).sources.map(({ id }) => id)).toEqual(["b"]);
  });
});
