/** Which language a file is written in; each grammar is loaded when it is first needed. */
import { LanguageDescription } from "@codemirror/language";
import type { LanguageSupport } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { baseName } from "../paths";

/** Names that say more than their extension. */
const ALIASES: Record<string, string> = { ipynb: "x.json", jsonl: "x.json", mlmodel: "x.json", pyi: "x.py", cu: "x.cpp", cuh: "x.cpp" };

export async function loadLanguageOf(path: string): Promise<LanguageSupport | null> {
  const name = baseName(path);
  const alias = ALIASES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
  return load(LanguageDescription.matchFilename(languages, alias ?? name));
}

/** By the name a notebook or a fenced block gives it: `python`, `bash`. */
export async function loadLanguageNamed(name: string): Promise<LanguageSupport | null> {
  return load(LanguageDescription.matchLanguageName(languages, name, true));
}

async function load(description: LanguageDescription | null): Promise<LanguageSupport | null> {
  return description ? description.load() : null;
}
