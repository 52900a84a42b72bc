/** A list of labels out of a file: everything of them as JSON, a table as CSV, or plain names. */
import { parseNames } from "@/features/datasets/labels/label-draft";
import { parseSheet } from "@/features/files/preview/csv";
import type { SetLabel } from "./api";

const COLOUR = /^#[0-9a-fA-F]{6}$/;

/** Null when there is no label in it. */
export function readLabelFile(text: string): SetLabel[] | null {
  const bare = text.replace(/^\uFEFF/, "").trim();
  const labels = /^[[{]/.test(bare) ? fromJson(bare) : (fromTable(bare) ?? parseNames(bare).map((one) => ({ ...one, attributes: [] })));
  return labels && labels.length > 0 ? labels : null;
}

function fromJson(text: string): SetLabel[] | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null; // the page says which forms it understands
  }
  const list = Array.isArray(read) ? read : ((read as { labels?: unknown; items?: unknown }).labels ?? (read as { items?: unknown }).items);
  if (!Array.isArray(list)) return null;
  const names = new Map(list.flatMap((one: unknown) => (isRecord(one) && typeof one.number === "number" && typeof one.name === "string" ? [[one.number, one.name]] : [])));
  const labels = list.map((one: unknown) => (typeof one === "string" ? { name: one, attributes: [] } : labelIn(one, names)));
  return labels.includes(null) ? null : (labels as SetLabel[]);
}

function labelIn(one: unknown, names: ReadonlyMap<number, string>): SetLabel | null {
  if (!isRecord(one) || typeof one.name !== "string") return null;
  const parent = typeof one.parent === "number" ? names.get(one.parent) : (one.parent_name ?? one.parent);
  return {
    name: one.name,
    parent: typeof parent === "string" ? parent : null,
    colour: typeof one.colour === "string" && COLOUR.test(one.colour) ? one.colour : null,
    shortcut: typeof one.shortcut === "string" && one.shortcut !== "" ? one.shortcut : null,
    attributes: Array.isArray(one.attributes) ? (one.attributes as SetLabel["attributes"]) : [],
    skeleton: isRecord(one.skeleton) ? (one.skeleton as SetLabel["skeleton"]) : null,
  };
}

/** With a heading that has `name` in it, as the platform's own list of labels does. */
function fromTable(text: string): SetLabel[] | null {
  const [heading = [], ...rows] = parseSheet(text, Infinity).rows;
  const columns = heading.map((word) => word.trim().toLowerCase());
  const at = (name: string) => columns.indexOf(name);
  if (at("name") < 0) return null;
  const cell = (row: string[], name: string) => (at(name) < 0 ? "" : (row[at(name)] ?? "").trim());
  return rows
    .filter((row) => cell(row, "name") !== "")
    .map((row) => ({
      name: cell(row, "name"),
      parent: cell(row, "parent") || null,
      colour: COLOUR.test(cell(row, "colour")) ? cell(row, "colour") : null,
      shortcut: cell(row, "shortcut") || null,
      attributes: [],
    }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
