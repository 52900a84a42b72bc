import { describe, expect, it } from "vitest";
import { formatValue, parseValue } from "@/features/training/parameters";
import { taskCommand } from "@/features/training/task-command";
import { bodyOf, keptInputs, newTask, valuesOf } from "@/features/training/task-values";
import type { TaskView } from "@/features/training/types";

const task: TaskView = {
  ...bodyOf({ ...newTask(), name: "forecast", command: "python train.py" }),
  inputs: ["algorithm:common@2", "dataset:tides"],
  parameters: { lr: 0.1, layers: "3", name: "adam", deep: true, none: null },
  environment: { A: "1" },
  window: { start: "22:00", end: "06:00", zone: "Asia/Shanghai" },
  id: "tsk_1",
  runs_count: 0,
  last_run: null,
  created_at: "2026-01-01T00:00:00Z",
  created_by: "lin",
  updated_at: "2026-01-01T00:00:00Z",
};

describe("a parameter", () => {
  it.each([
    ["0.1", 0.1],
    ["1e-3", 0.001],
    ["-2", -2],
    ["true", true],
    ["null", null],
    ["adam", "adam"],
    ['"3"', "3"],
    ['"', '"'],
    ["1.2.3", "1.2.3"],
  ])("typed as %s is taken for what it is", (text, value) => {
    expect(parseValue(text)).toBe(value);
  });

  it.each([0.1, true, null, "adam", "3", "true", "", ' "quoted"', "Infinity"])("%s comes back as it went", (value) => {
    expect(parseValue(formatValue(value))).toBe(value);
  });
});

describe("a task's form", () => {
  it("gives back what it was filled with", () => {
    const { name, inputs, parameters, environment, window } = bodyOf(valuesOf(task), keptInputs(task));
    expect({ name, inputs, parameters, environment, window }).toEqual({
      name: task.name,
      inputs: task.inputs,
      parameters: task.parameters,
      environment: task.environment,
      window: task.window,
    });
  });

  it("leaves out rows that were not filled in", () => {
    const body = bodyOf({ ...newTask(), models: [null, "tide@2"], parameters: [{ name: " ", value: "1" }], hasWindow: true });
    expect(body.models).toEqual(["tide@2"]);
    expect(body.parameters).toEqual({});
    expect(body.window).toBeNull();
  });

  it("asks for processes only of launchers that have them", () => {
    expect(bodyOf({ ...newTask(), processes_per_node: 4 }).processes_per_node).toBeNull();
    expect(bodyOf({ ...newTask(), launcher: "torchrun", processes_per_node: 4 }).processes_per_node).toBe(4);
  });

  it("is the same as a command that a shell reads as meant", () => {
    expect(taskCommand({ ...newTask(), name: "a b", command: "echo 'x'", nodes: 2, parameters: [{ name: "lr", value: "0.1" }] })).toBe(
      `tidemill task create 'a b' --nodes 2 --set lr=0.1 --command 'echo '\\''x'\\'''`,
    );
  });
});
