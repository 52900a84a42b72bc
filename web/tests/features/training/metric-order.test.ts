import { expect, it } from "vitest";
import { byInterest } from "@/features/training/metric-order";

it("how good a run is comes before how far it is", () => {
  const named = ["learning_rate", "progress", "remaining_s", "test/accuracy", "train/loss", "val/loss"];
  expect(byInterest(named)).toEqual(["test/accuracy", "val/loss", "train/loss", "learning_rate", "progress", "remaining_s"]);
  expect(byInterest(["b", "a"])).toEqual(["b", "a"]);
});
