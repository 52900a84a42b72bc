/** Parameters as people type them: `0.1`, `true`, `adam`; in quotation marks what looks like a number and is a text. */
import type { ParameterValue } from "./types";

export interface Pair {
  name: string;
  value: string;
}

export function parseValue(text: string): ParameterValue {
  const bare = text.trim();
  if (bare === "true") return true;
  if (bare === "false") return false;
  if (bare === "null") return null;
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) && Number.isFinite(Number(bare))) return Number(bare);
  return unquoted(bare) ?? text;
}

export function formatValue(value: ParameterValue): string {
  if (typeof value !== "string") return String(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}

export function pairsOf(values: Record<string, ParameterValue>): Pair[] {
  return Object.entries(values).map(([name, value]) => ({ name, value: formatValue(value) }));
}

function unquoted(text: string): string | null {
  if (!/^".*"$/s.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    return null; // quotation marks that are part of the text
  }
}
