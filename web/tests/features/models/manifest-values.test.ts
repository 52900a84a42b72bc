import { describe, expect, it } from "vitest";
import { declaredBody, settled } from "@/features/models/manifest/declared-values";
import { changedValues, defaultsOf, grouped, problemOf, stepOf } from "@/features/models/manifest/manifest-values";
import type { Parameter } from "@/features/models/types";

function parameter(name: string, more: Partial<Parameter> = {}): Parameter {
  return { name, type: "int", default: 1, min: null, max: null, log: false, choices: null, title: name, help: "", group: "basic", ...more };
}

const EPOCHS = parameter("epochs", { default: 30, min: 1, max: 1000 });
const RATE = parameter("learning_rate", { type: "float", default: 0.001, min: 0, max: 1, log: true, group: "optimiser" });

describe("parameters of a manifest", () => {
  it("stand in their groups, groups without any left out", () => {
    expect(grouped([RATE, EPOCHS]).map(({ group, parameters }) => [group, parameters.map((one) => one.name)])).toEqual([
      ["basic", ["epochs"]],
      ["optimiser", ["learning_rate"]],
    ]);
  });

  it("are refused by the rule they break", () => {
    expect(problemOf(EPOCHS, 0)).toBe("low");
    expect(problemOf(EPOCHS, 1001)).toBe("high");
    expect(problemOf(EPOCHS, 1.5)).toBe("whole");
    expect(problemOf(EPOCHS, null)).toBe("missing");
    expect(problemOf(EPOCHS, 1000)).toBeNull();
    expect(problemOf(parameter("schedule", { type: "choice" }), "cosine")).toBeNull();
  });

  it("go by steps of their own size", () => {
    expect(stepOf(EPOCHS)).toBe(1);
    expect(stepOf(RATE)).toBe(0.001);
    expect(stepOf(parameter("test_share", { type: "float", default: 0.2, min: 0, max: 0.9 }))).toBe(0.05);
  });

  it("are sent only where they are otherwise than usual", () => {
    const usual = defaultsOf([EPOCHS, RATE]);
    expect(changedValues({ epochs: 5, learning_rate: 0.001, gone: undefined, empty: null }, usual)).toEqual({ epochs: 5 });
  });
});

describe("a task's parameters", () => {
  const manifest = { parameters: [EPOCHS, RATE], functions: { train: { command: "python train.py", launcher: "command", dataset: "required", model: "optional" } } };

  it("are sorted out of the pairs when the algorithm declares them", () => {
    const found = settled({ command: "", parameters: [{ name: "epochs", value: "7" }, { name: "mine", value: "x" }] }, manifest);
    expect(found).toEqual({ command: "python train.py", declared: { epochs: 7, learning_rate: 0.001 }, parameters: [{ name: "mine", value: "x" }] });
  });

  it("keep a command that somebody wrote", () => {
    expect(settled({ command: "python mine.py" }, manifest).command).toBe("python mine.py");
  });

  it("lose what was declared when the algorithm says nothing", () => {
    expect(settled({ command: "c", declared: { epochs: 7 }, parameters: [{ name: "mine", value: "x" }] }, null)).toEqual({ command: "c", declared: {}, parameters: [{ name: "mine", value: "x" }] });
  });

  it("are sent without those that are empty", () => {
    expect(declaredBody({ epochs: 7, note: "", none: null, no: undefined, is: false })).toEqual({ epochs: 7, is: false });
    expect(declaredBody(undefined)).toEqual({});
  });
});
