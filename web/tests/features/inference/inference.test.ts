import { describe, expect, it } from "vitest";
import { inferenceCommand } from "@/features/inference/inference-command";
import { bodyOf, newInference, valuesOf } from "@/features/inference/inference-values";
import { probabilitiesOf, readFilter } from "@/features/inference/results/result";
import { startBody, startValues } from "@/features/inference/start-values";
import type { InferenceView, ResultView } from "@/features/inference/types";
import { backBody } from "@/features/inference/write-back/back-values";

const view = (body: ReturnType<typeof bodyOf>) => ({ ...body, settings: { ...body.settings } }) as unknown as InferenceView;

describe("an entry of batch inference", () => {
  it("comes back from the server as it was sent, in each form", () => {
    const own = { ...newInference(), name: "look", from: "service" as const, service: "boats", dataset: "harbour@2", thresholdPercent: 30, states: ["unlabelled" as const], workers: 3 };
    const address = { ...own, from: "address" as const, service: null, url: "https://host", serviceModel: "m", inFlight: 8 };
    const code = { ...newInference(), name: "own", form: "code" as const, command: "python infer.py", datasets: ["harbour@2"], parameters: [{ name: "part", value: "1" }] };
    for (const values of [own, address, code]) expect(bodyOf(valuesOf(view(bodyOf(values))))).toEqual(bodyOf(values));
  });

  it("is the same as a command", () => {
    const values = { ...newInference({ model: "boats@3", dataset: "harbour@2" }), name: "two words" };
    expect(inferenceCommand(values)).toBe("tidemill infer create 'two words' --model boats@3 --dataset harbour@2");
    expect(inferenceCommand({ ...values, from: "service", service: "boats" })).toContain("--service boats --dataset harbour@2");
    expect(inferenceCommand({ ...values, form: "code", command: "python x.py" })).toBe("tidemill infer create 'two words' --command 'python x.py'");
    expect(inferenceCommand({ ...values, form: "code", command: "x", launcher: "torchrun", time_limit_s: 90 })).toBe("tidemill infer create 'two words' --launcher torchrun --command x --time-limit 90");
    expect(inferenceCommand({ ...values, from: "service", service: "boats", inFlight: 9 })).toContain("--service boats --in-flight 9 --dataset harbour@2");
  });

  it("is started with what differs only", () => {
    const entry = { settings: { form: "model", dataset: "harbour@2", threshold: 0.5, spec: null, priority: "normal" } } as unknown as InferenceView;
    expect(startBody(entry, startValues(entry))).toEqual({});
    expect(startBody(entry, { ...startValues(entry), dataset: "harbour@3", threshold: 0.9 })).toEqual({ dataset: "harbour@3", threshold: 0.9 });
  });
});

describe("results", () => {
  it("are narrowed by what the address says, as far as that makes sense", () => {
    expect(readFilter(new URLSearchParams("label=boat&min=0.5&max=7&sort=-score"))).toEqual({ label: "boat", min_score: 0.5, max_score: undefined, q: undefined, sort: "-score" });
    expect(readFilter(new URLSearchParams("sort=best")).sort).toBeUndefined();
  });

  it("name the likeliest first", () => {
    const result = { probabilities: { sea: 0.1, sand: 0.7, wood: 0.2 } } as unknown as ResultView;
    expect(probabilitiesOf(result, 2).map((one) => one.label)).toEqual(["sand", "wood"]);
  });

  it("go back into a draft, or become a version", () => {
    const values = { form: "suggestions" as const, dataset: "harbour@3", threshold: null, makeLabels: true, note: "" };
    expect(backBody(values)).toMatchObject({ form: "suggestions", dataset: "harbour@3", threshold: null });
    expect(backBody({ ...values, form: "version", existing: "replace" })).not.toHaveProperty("dataset");
    expect(backBody(values)).not.toHaveProperty("mapping");
  });

  it("go back under the labels that were chosen, suggested, made or left out", () => {
    const found = [
      { name: "Boat", suggested: { number: 3, name: "boat" }, reason: "case" as const },
      { name: "buoy", suggested: null, reason: null },
      { name: "gull", suggested: { number: 4, name: "gull" }, reason: "same" as const },
    ];
    const values = { form: "version" as const, threshold: 0.5, mapping: { gull: null }, note: "" };
    expect(backBody({ ...values, makeLabels: true }, found)).toMatchObject({ mapping: { Boat: 3, buoy: "buoy", gull: null }, make_labels: true });
    expect(backBody({ ...values, makeLabels: false }, found)).toMatchObject({ mapping: { Boat: 3, buoy: null, gull: null }, make_labels: false });
    expect(backBody({ ...values, makeLabels: false, mapping: { buoy: "buoy" } }, found).make_labels).toBe(true);
  });
});
