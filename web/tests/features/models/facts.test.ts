import { describe, expect, it } from "vitest";
import { labelEdges } from "@/features/models/facts";

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
