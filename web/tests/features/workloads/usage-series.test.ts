import { describe, expect, it } from "vitest";
import { withGaps } from "@/features/workloads/usage-series";

describe("a curve of use", () => {
  it("has a gap where nothing was measured", () => {
    expect(withGaps([[0, 1], [2, 1], [4, 1], [60, 2], [62, 2]])).toEqual([[0, 1], [2, 1], [4, 1], [6, null], [60, 2], [62, 2]]);
  });

  it("has none where measurements are regular", () => {
    expect(withGaps([[0, 1], [2, 1], [5, 1]])).toHaveLength(3);
    expect(withGaps([])).toEqual([]);
  });
});
