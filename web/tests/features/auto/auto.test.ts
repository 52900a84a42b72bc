import { describe, expect, it } from "vitest";
import { autoBody, autoCommand, countTargets, mappingOf, newAuto, sourceOf } from "@/features/auto/auto-values";
import { countAtLeast, levelOf } from "@/features/auto/certainty";
import { fitsTask } from "@/features/auto/tasks";
import type { MappedLabel, MappingView } from "@/features/auto/types";

const labels: MappedLabel[] = [
  { name: "person", suggested: { number: 3, name: "Person" }, reason: "case" },
  { name: "cat", suggested: null, reason: null },
];
const found = { source: "public/yolox-nano@1", labels } as MappingView;
const of = { project: "p", dataset: "sea", version: 2 };

describe("what annotates", () => {
  it("is nothing until everything about it is said", () => {
    expect(sourceOf({ from: "preset" })).toBeNull();
    expect(sourceOf({ from: "service", service: null })).toBeNull();
    expect(sourceOf({ from: "service", service: "boats", token: "left from another choice" })).toEqual({ type: "service", service: "boats" });
    expect(sourceOf({ from: "address", url: "ftp://host", serviceModel: "m" })).toBeNull();
    expect(sourceOf({ from: "address", url: " http://host:8000 ", serviceModel: "m" })).toEqual({ type: "service", url: "http://host:8000", model: "m" });
    expect(sourceOf(newAuto({ model: "m@3" }))).toEqual({ type: "model", model: "m@3" });
  });

  it("fits the type of annotation", () => {
    expect(fitsTask("object-detection", "video")).toBe(true);
    expect(fitsTask("object-detection", "ocr")).toBe(false);
  });
});

describe("labels of the model", () => {
  it("go where they were suggested, unless somebody chose otherwise", () => {
    expect(mappingOf(labels, { makeLabels: false })).toEqual({ person: 3, cat: null });
    expect(mappingOf(labels, { makeLabels: true })).toEqual({ person: 3, cat: "cat" });
    expect(mappingOf(labels, { makeLabels: true, mapping: { person: null, cat: 4 } })).toEqual({ person: null, cat: 4 });
    expect(countTargets({ a: 1, b: "b", c: null, d: null })).toEqual({ mapped: 1, made: 1, left: 2 });
  });

  it("are made when one of them is to be new", () => {
    const body = autoBody({ ...newAuto({ preset: "yolox-nano" }), mapping: { cat: "cat" } }, found);
    expect(body).toMatchObject({ source: { type: "preset", preset: "yolox-nano" }, mapping: { person: 3, cat: "cat" }, make_labels: true, threshold: 0.5, label_errors: true });
  });
});

describe("the command", () => {
  it("says the same, and never a token", () => {
    const values = { ...newAuto({}), from: "address" as const, url: "http://host", serviceModel: "m", token: "secret", mapping: { person: 3, cat: null }, labelErrors: false };
    const command = autoCommand(of, values, labels, new Map([[3, "Person"]]));
    expect(command).toContain("--service http://host");
    expect(command).toContain("--map person=Person --threshold");
    expect(command).not.toContain("secret");
  });
});

describe("certainty", () => {
  it("has levels", () => {
    expect([0.2, 0.5, 0.79, 0.8].map(levelOf)).toEqual(["low", "middle", "middle", "high"]);
  });

  it("tells about how many items a threshold takes", () => {
    const tenths = [0, 0, 0, 0, 10, 0, 0, 0, 20, 70];
    expect(countAtLeast(tenths, 0.9)).toBe(70);
    expect(countAtLeast(tenths, 0.85)).toBe(80);
    expect(countAtLeast(tenths, 0)).toBe(100);
    expect(countAtLeast(tenths, 1)).toBe(0);
  });
});
