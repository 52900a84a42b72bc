import { describe, expect, it } from "vitest";
import { pullCommand, pushCommand } from "@/features/assets/commands";
import { parseShape, shapeText } from "@/features/assets/shapes";

describe("a shape", () => {
  it.each([
    ["?, 3, 224, 224", [null, 3, 224, 224]],
    ["[batch, 10]", ["batch", 10]],
    ["-1", [null]],
    ["", null],
    ["1,,2", undefined],
    [Array(33).fill("1").join(","), undefined],
    ["99999999999999999999", undefined],
  ])("%j reads as %j", (text, shape) => {
    expect(parseShape(text)).toEqual(shape);
  });

  it("is written as people write it", () => {
    expect(shapeText([-1, 3, "width"])).toBe("[?, 3, width]");
    expect(shapeText(null)).toBe("–");
  });
});

describe("a command", () => {
  it("is safe to paste whatever the name", () => {
    expect(pushCommand("my lab", "algorithm", "a; rm -rf")).toBe("tidemill algorithm push ./folder 'a; rm -rf' --project 'my lab'");
    expect(pullCommand("lab", "model", "net", 3)).toBe("tidemill model pull net@3 ./folder --project lab");
    expect(pullCommand("public", "model", "net", 3)).toBe("tidemill model pull public/net@3 ./folder");
  });
});
