import { describe, expect, it } from "vitest";
import { crumbsOf, extensionOf, isWithin, joinPath, movesInto, parentOf, pathProblem, resolveLink } from "@/features/files/paths";

describe("a path", () => {
  it.each([
    ["src/train.py", null],
    ["数据/标签.csv", null],
    [".gitignore", null],
    ["", "empty"],
    ["a//b", "empty"],
    ["a/", "empty"],
    ["a/../b", "dots"],
    [".", "dots"],
    ["a\\b", "character"],
    ["a\tb", "control"],
    ["x".repeat(255), null],
    ["x".repeat(256), "partLong"],
    ["字".repeat(86), "partLong"],
    [Array(6).fill("y".repeat(200)).join("/"), "long"],
  ])("%j breaks the rule %j", (path, problem) => {
    expect(pathProblem(path)).toBe(problem);
  });

  it("knows its parts", () => {
    expect(parentOf("a/b/c.txt")).toBe("a/b");
    expect(parentOf("c.txt")).toBe("");
    expect(joinPath("", "a", "", "b")).toBe("a/b");
    expect(extensionOf("x/Archive.TAR.GZ")).toBe("gz");
    expect(extensionOf(".gitignore")).toBe("");
    expect(crumbsOf("a/b")).toEqual([
      { name: "a", path: "a" },
      { name: "b", path: "a/b" },
    ]);
  });

  it("lies in a folder only by whole parts", () => {
    expect(isWithin("a", "a/b")).toBe(true);
    expect(isWithin("a", "ab")).toBe(false);
    expect(isWithin("", "anything")).toBe(true);
  });
});

describe("a link in a document", () => {
  it("is seen from where the document lies", () => {
    expect(resolveLink("docs/guide.md", "../src/train.py#L3")).toBe("src/train.py");
    expect(resolveLink("docs/guide.md", "./a%20b.png")).toBe("docs/a b.png");
    expect(resolveLink("docs/guide.md", "/README.md")).toBe("README.md");
    expect(resolveLink("docs/guide.md", "100%.txt")).toBe("docs/100%.txt");
  });

  it("never leads out of the version", () => {
    expect(resolveLink("guide.md", "../../etc/passwd")).toBeNull();
  });
});

describe("moving into a folder", () => {
  it("leaves out what is there already and what would go into itself", () => {
    expect(movesInto("b", ["a/x", "b/y", "b", "c"])).toEqual([
      { from: "a/x", to: "b/x" },
      { from: "c", to: "b/c" },
    ]);
  });
});
