import { describe, expect, it } from "vitest";
import en from "@/i18n/en";
import zh from "@/i18n/zh-CN";

type Tree = { [key: string]: string | Tree };

const CHINESE = /[\u3400-\u9fff]/;
/** Same in both languages by nature: a key's name, or only placeholders and signs. */
const LANGUAGE_FREE = new Set(["shell.search.shortcut"]);
const PLURAL = /_(zero|one|two|few|many|other)$/;

function flat(tree: Tree, prefix = ""): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) => (typeof value === "string" ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`)));
}

function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/{{\s*(\w+)/g)].map((match) => match[1] ?? ""))].sort();
}

const english = flat(en);
const chinese = flat(zh);
const bare = (entries: [string, string][]) => new Set(entries.map(([key]) => key.replace(PLURAL, "")));

describe("texts", () => {
  it("have the same keys in both languages", () => {
    const [inEnglish, inChinese] = [bare(english), bare(chinese)];
    expect([...inEnglish].filter((key) => !inChinese.has(key)), "missing in zh-CN").toEqual([]);
    expect([...inChinese].filter((key) => !inEnglish.has(key)), "missing in en").toEqual([]);
  });

  it("have the plural forms their language needs", () => {
    const plurals = [...new Set(english.filter(([key]) => PLURAL.test(key)).map(([key]) => key.replace(PLURAL, "")))];
    const keys = new Set(english.map(([key]) => key));
    const chineseKeys = new Set(chinese.map(([key]) => key));
    expect(plurals.filter((key) => !keys.has(`${key}_one`) || !keys.has(`${key}_other`))).toEqual([]);
    expect(plurals.filter((key) => !chineseKeys.has(`${key}_other`))).toEqual([]);
  });

  it("are English in English", () => {
    expect(english.filter(([, text]) => CHINESE.test(text))).toEqual([]);
  });

  it("are Chinese in Chinese", () => {
    const foreign = chinese.filter(([key, text]) => !CHINESE.test(text) && !LANGUAGE_FREE.has(key) && /[A-Za-z]/.test(text.replace(/{{[^}]*}}/g, "")));
    expect(foreign).toEqual([]);
  });

  it("use Chinese punctuation between Chinese words", () => {
    expect(chinese.filter(([, text]) => /[\u3400-\u9fff][,:;?!]|[,:;?!][\u3400-\u9fff]/.test(text))).toEqual([]);
  });

  it("are never empty", () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it("use the same placeholders in both languages", () => {
    const found = new Map(english.map(([key, text]) => [key.replace(/_one$/, "_other"), placeholders(text)]));
    const different = chinese.filter(([key, text]) => found.has(key) && placeholders(text).join() !== found.get(key)?.join());
    expect(different).toEqual([]);
  });
});
