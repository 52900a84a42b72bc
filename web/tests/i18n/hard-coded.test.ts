import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../../src");
/** Attributes whose text a user sees or hears. */
const VISIBLE = new Set(["title", "label", "placeholder", "alt", "aria-label", "aria-description", "description", "okText", "cancelText", "submitText", "extra", "tooltip", "text", "message", "content", "hint"]);
const LETTERS = /\p{L}{2,}/u;
const CHINESE = /[\u3400-\u9fff]/;
/** What one would type into a field as it is: an address, an identifier. Not words of a language. */
const SAMPLE = /^[a-z0-9][a-z0-9:/._@-]*$/;
/** Languages are listed under their own names. */
const CHINESE_ALLOWED = new Set(["i18n/index.ts"]);

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/** Texts written straight into a component, with where they are. */
export function hardCodedTexts(name: string, code: string): string[] {
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const report = (node: ts.Node, text: string) => {
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push(`${name}:${line}: ${text.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && LETTERS.test(node.text)) report(node, node.text);
    if (ts.isJsxAttribute(node) && VISIBLE.has(node.name.getText(file)) && node.initializer) {
      const text = literal(node.initializer);
      const isSample = node.name.getText(file) === "placeholder" && SAMPLE.test(text ?? "");
      if (text !== null && LETTERS.test(text) && !isSample) report(node, text);
    }
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
      const text = literal(node);
      if (text !== null && LETTERS.test(text)) report(node, text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function literal(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  return ts.isJsxExpression(node) && node.expression ? literal(node.expression) : null;
}

describe("components", () => {
  const files = filesUnder(SOURCE).map((path) => ({ name: relative(SOURCE, path), code: readFileSync(path, "utf8") }));

  it("hold no text of their own", () => {
    expect(files.filter(({ name }) => name.endsWith(".tsx")).flatMap(({ name, code }) => hardCodedTexts(name, code))).toEqual([]);
  });

  it("hold no Chinese of their own", () => {
    expect(files.filter(({ name, code }) => CHINESE.test(code) && !CHINESE_ALLOWED.has(name)).map(({ name }) => name)).toEqual([]);
  });

  it("are checked by something that finds a text", () => {
    expect(hardCodedTexts("a.tsx", `const a = <p title="Hello">World {"again"}</p>`)).toHaveLength(3);
    expect(hardCodedTexts("a.tsx", `const a = <p title={t("x")} className="word">–</p>`)).toEqual([]);
  });

  it("hold no colours of their own", () => {
    const coloured = files.filter(({ name, code }) => name !== "theme/tokens.ts" && /["'`]#[0-9a-f]{3,8}["'`]/i.test(code));
    expect(coloured.map(({ name }) => name)).toEqual([]);
  });
});
