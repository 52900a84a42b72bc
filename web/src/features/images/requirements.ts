/** A list of Python packages as people write it, checked line by line while it is typed; the server has the last word. */
export type RequirementRule = "option" | "address" | "form" | "twice";

export interface RequirementProblem {
  /** Counted from one. */
  line: number;
  text: string;
  rule: RequirementRule;
}

export const REQUIREMENTS_SAMPLE = "numpy>=2\npandas==2.2.3\nscikit-learn";

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
const VERSION = "(?:===|~=|==|!=|<=|>=|<|>)\\s*[A-Za-z0-9_.*+!-]+";
const REQUIREMENT = new RegExp(`^(${NAME})\\s*(?:\\[[A-Za-z0-9._,\\s-]*\\])?\\s*(?:\\(?${VERSION}(?:\\s*,\\s*${VERSION})*\\s*,?\\s*\\)?)?\\s*(?:;.+?)?(?:\\s+--hash=sha256:[0-9a-f]{64})*$`);
/** A package at an address of its own: `name @ https://…`. */
const DIRECT = new RegExp(`^(${NAME})\\s*(?:\\[[A-Za-z0-9._,\\s-]*\\])?\\s*@\\s*https?://\\S+(?:\\s*;.+)?$`);

/** What is asked for: no empty lines, no comments. */
export function requirementsOf(text: string): string[] {
  return text
    .split("\n")
    .map(withoutComment)
    .filter((line) => line !== "");
}

export function requirementProblems(text: string): RequirementProblem[] {
  const seen = new Set<string>();
  return text.split("\n").flatMap((whole, index) => {
    const line = withoutComment(whole);
    const rule = line === "" ? null : ruleBroken(line, seen);
    return rule ? [{ line: index + 1, text: line, rule }] : [];
  });
}

function ruleBroken(line: string, seen: Set<string>): RequirementRule | null {
  if (line.startsWith("-")) return "option";
  const name = (REQUIREMENT.exec(line) ?? DIRECT.exec(line))?.[1];
  if (name === undefined) return /:\/\/|\s@\s|^[./]|\\/.test(line) ? "address" : "form";
  const key = name.toLowerCase().replace(/[-_.]+/g, "-");
  // Different lines for different systems are one way to write it; two plain ones are a slip.
  if (!line.includes(";") && seen.has(key)) return "twice";
  seen.add(key);
  return null;
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, "").trim();
}
