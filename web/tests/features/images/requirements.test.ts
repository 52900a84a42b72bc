import { describe, expect, it } from "vitest";
import { isImageName, isImageVersion } from "@/features/images/names";
import { requirementProblems, requirementsOf } from "@/features/images/requirements";

describe("a list of Python packages", () => {
  it("is taken without comments and empty lines", () => {
    expect(requirementsOf("# ours\nnumpy>=2 # fast\n\n  pandas==2.2.3\n")).toEqual(["numpy>=2", "pandas==2.2.3"]);
  });

  it.each(["numpy", "torch==2.13.0", "requests[socks,security]>=2.31, <3", "tensorboard ~= 2.19", "pywin32>=1; sys_platform == 'win32'", "a_b.c-d!=1.*", "foo===1.0+local", "tool @ https://example.com/tool.whl"])("accepts %s", (line) => {
    expect(requirementProblems(line)).toEqual([]);
  });

  it("names the line and the rule of each mistake", () => {
    const text = "numpy\n--index-url https://elsewhere\n\ngit+https://example.com/x.git\nfile:///p.whl\nnumpy>>2\nNumPy==2\n./local";
    expect(requirementProblems(text).map(({ line, rule }) => [line, rule])).toEqual([
      [2, "option"],
      [4, "address"],
      [5, "address"],
      [6, "form"],
      [7, "twice"],
      [8, "address"],
    ]);
  });

  it("may ask for a package twice for different systems", () => {
    expect(requirementProblems("torch==2.1; sys_platform == 'linux'\ntorch==2.2; sys_platform == 'darwin'")).toEqual([]);
  });
});

describe("names of images", () => {
  it("are those of registries", () => {
    expect(["trainer", "team/trainer", "a.b_c--d/e2"].filter((name) => !isImageName(name))).toEqual([]);
    expect(["Trainer", "a//b", "-a", "a-", "public/x", "潮", "", "a".repeat(201)].filter(isImageName)).toEqual([]);
  });

  it("have versions of another alphabet", () => {
    expect(["1.0", "_x", "v2-RC.1"].filter((version) => !isImageVersion(version))).toEqual([]);
    expect([".1", "-1", "a b", "", "x".repeat(129)].filter(isImageVersion)).toEqual([]);
  });
});
