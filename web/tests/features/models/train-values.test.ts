import { describe, expect, it } from "vitest";
import { followedValues, newTraining, SCRATCH, startBody, trainCommand, wishesOf } from "@/features/models/train/train-values";
import type { Choice } from "@/features/models/train/types";

function choice(name: string, value: Choice["value"]): Choice {
  return { name, value, type: "int", default: value, min: null, max: null, log: false, choices: null, title: name, help: "", group: "basic", is_default: true, reason: "" };
}

const PLAN = { choices: [choice("epochs", 30), choice("batch_size", 16)], save_model: "flowers" };

describe("a training from a dataset", () => {
  it("says nothing where everything is as chosen", () => {
    expect(startBody({ ...newTraining(), parameters: { epochs: 30, batch_size: 16 } }, PLAN)).toEqual({ parameters: {} });
    expect(trainCommand("flowers@1", { parameters: {} })).toBe("tidemill train flowers@1");
  });

  it("says what was chosen otherwise", () => {
    const values = { ...newTraining(), algorithm: "mine@2", model: SCRATCH, spec: "small", time_budget_s: 300, save_model: "red roses", parameters: { epochs: 5, batch_size: 16 } };
    const body = startBody(values, PLAN);
    expect(body).toEqual({ algorithm: "mine@2", model: "", spec: "small", time_budget_s: 300, save_model: "red roses", parameters: { epochs: 5 } });
    expect(trainCommand("flowers@1", body)).toBe("tidemill train flowers@1 --algorithm mine@2 --start-from none --model 'red roses' --spec small --time-budget 300 --set epochs=5");
  });

  it("leaves out parameters that another algorithm had", () => {
    expect(startBody({ ...newTraining(), parameters: { epochs: 30, trees: 9 } }, PLAN).parameters).toEqual({});
  });

  it("asks for a plan by what is wished only", () => {
    expect(wishesOf(newTraining())).toEqual({});
    expect(wishesOf({ ...newTraining(), model: SCRATCH })).toEqual({ model: "" });
  });

  it("follows another plan, except in what somebody changed", () => {
    const after = { choices: [choice("epochs", 60), choice("batch_size", 32)] };
    expect(followedValues({ epochs: 5, batch_size: 16 }, PLAN, after)).toEqual({ epochs: 5, batch_size: 32 });
  });
});
