import { describe, expect, it } from "vitest";
import { nameProblem } from "@/lib/limits";

describe("a name", () => {
  it.each(["a", "resnet-50", "北区 检测", "😀", "x".repeat(50), " padded "])("may be %j", (name) => {
    expect(nameProblem(name)).toBeNull();
  });

  it.each(["", "   ", "\u3000"])("may not be blank: %j", (name) => {
    expect(nameProblem(name)).toBe("empty");
  });

  it.each([..."/:*?\"<'>|"])("may not contain %s", (character) => {
    expect(nameProblem(`a${character}b`)).toBe("character");
  });

  it("has at most fifty characters, counted as people count them", () => {
    expect(nameProblem("x".repeat(51))).toBe("long");
    expect(nameProblem("😀".repeat(50))).toBeNull();
  });

  it("has no control characters and is not a folder's dots", () => {
    expect(nameProblem("a\tb")).toBe("control");
    expect(nameProblem("..")).toBe("dots");
  });
});
