import { describe, expect, it } from "vitest";
import { labelEdges, rowSample } from "@/features/models/facts";

describe("how a model's keypoints are joined", () => {
  it("is said by label, for those that have a skeleton", () => {
    const labels = [{ name: "person", skeleton: { points: ["a", "b", "c"], edges: [[0, 1], [1, 2]] } }, { name: "ball" }, { name: "cat", skeleton: null }];
    expect([...labelEdges({ labels })]).toEqual([["person", [[0, 1], [1, 2]]]]);
  });

  it("is taken only as far as it makes sense: anybody may have written it", () => {
    const labels = [{ name: "person", skeleton: { edges: [[0, 1], [1], ["a", "b"], "12", [0.5, 1]] } }, { name: 7, skeleton: { edges: [] } }, { name: "dog", skeleton: { edges: "no" } }];
    expect([...labelEdges({ labels })]).toEqual([["person", [[0, 1]]]]);
  });
});

describe("a row to try a model of tables with", () => {
  it("has the columns that it looks at", () => {
    const columns = [{ name: "age", kind: "number" }, { name: "sex", kind: "category", values: ["female", "male"] }, { name: "name", kind: "words", values: [] }];
    expect(rowSample({ input: { kind: "table", columns } })).toEqual({ age: 0, sex: "female", name: "" });
  });

  it("is none where the model takes something else, or says nothing that makes sense", () => {
    expect(rowSample({ input: { kind: "image", size: [64, 64] } })).toBeNull();
    expect(rowSample({ input: { kind: "table", columns: "all" } })).toBeNull();
    expect(rowSample({ input: { kind: "table", columns: ["age", { name: 7 }] } })).toEqual({});
  });
});
