import { describe, expect, it } from "vitest";
import { addressOfPrinted } from "@/features/experiments/mlflow-links";

describe("addresses that MLflow's client prints", () => {
  it("lead to the run and to the experiment", () => {
    expect(addressOfPrinted("/p/tides/", "#/experiments/exp_1/runs/run_2", null)).toBe("/p/tides/experiments/exp_1/runs/run_2");
    expect(addressOfPrinted("/", "#/experiments/exp_1", "潮汐")).toBe(`/p/${encodeURIComponent("潮汐")}/experiments/exp_1`);
  });

  it("are left alone when they are something else, or no project is known", () => {
    expect(addressOfPrinted("/", "#top", "tides")).toBeNull();
    expect(addressOfPrinted("/", "#/experiments/exp_1", null)).toBeNull();
  });
});
