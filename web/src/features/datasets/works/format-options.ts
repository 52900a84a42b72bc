/** What can be told to a format beyond its name, as far as its reader or writer listens; other formats have nothing. */

interface FieldOf<Kind extends string> {
  name: OptionName;
  kind: Kind;
}

/** One word; several of them; whole numbers from 0 to 255; one of these; a regular expression; yes, no or as it is found. */
export type OptionField = FieldOf<"text"> | FieldOf<"texts"> | FieldOf<"numbers"> | FieldOf<"pattern"> | FieldOf<"yesno"> | (FieldOf<"choice"> & { choices: readonly Choice[] });

export type OptionName = "encoding" | "delimiter" | "header" | "file_column" | "text_column" | "label_column" | "label_separator" | "pattern" | "masks" | "ignore" | "labels" | "task" | "files";

/** Those without a key are shown as they are. */
export interface Choice {
  value: string;
  key?: "comma" | "tab" | "semicolon" | "bar" | "detect" | "segment" | "pose";
}

/** Values as the form holds them. */
export type OptionValues = Partial<Record<OptionName, string | string[] | null>>;

const ENCODINGS: readonly Choice[] = ["utf-8", "gb18030", "big5", "utf-16", "shift_jis", "euc-jp", "euc-kr", "cp1252"].map((value) => ({ value }));
const DELIMITERS: readonly Choice[] = [
  { value: ",", key: "comma" },
  { value: "\t", key: "tab" },
  { value: ";", key: "semicolon" },
  { value: "|", key: "bar" },
];
const TASKS: readonly Choice[] = (["detect", "segment", "pose"] as const).map((value) => ({ value, key: value }));

const READERS: Record<string, readonly OptionField[]> = {
  table: [
    { name: "file_column", kind: "text" },
    { name: "text_column", kind: "text" },
    { name: "label_column", kind: "text" },
    { name: "label_separator", kind: "text" },
    { name: "header", kind: "yesno" },
    { name: "delimiter", kind: "choice", choices: DELIMITERS },
    { name: "encoding", kind: "choice", choices: ENCODINGS },
  ],
  folders: [{ name: "pattern", kind: "pattern" }],
  masks: [
    { name: "masks", kind: "text" },
    { name: "ignore", kind: "numbers" },
  ],
  yolo: [
    { name: "labels", kind: "text" },
    { name: "task", kind: "choice", choices: TASKS },
  ],
  coco: [{ name: "files", kind: "texts" }],
};

const WRITERS: Record<string, readonly OptionField[]> = {
  yolo: [{ name: "task", kind: "choice", choices: TASKS }],
  csv: [{ name: "label_separator", kind: "text" }],
};

export function readerOptions(format: string | null | undefined): readonly OptionField[] {
  return READERS[format ?? ""] ?? [];
}

export function writerOptions(format: string | null | undefined): readonly OptionField[] {
  return WRITERS[format ?? ""] ?? [];
}

/** What was filled in of these fields, as the server takes it. */
export function filledOptions(fields: readonly OptionField[], values: OptionValues | undefined): Record<string, unknown> {
  const filled = fields.map(({ name, kind }): [string, unknown] => [name, filledValue(kind, values?.[name])]);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function filledValue(kind: OptionField["kind"], value: string | string[] | null | undefined): unknown {
  if (value === undefined || value === null || value.length === 0) return undefined;
  if (kind === "numbers") return [...value].map(Number);
  if (kind === "yesno") return value === "yes";
  return kind === "text" && typeof value === "string" ? value.trim() || undefined : value;
}

/** Whether names of files can be read with it: it compiles, and has a group for the class. */
export function isPattern(text: string): boolean {
  try {
    // Named groups and flags in front are written another way where it is used.
    const source = text.replaceAll("(?P<", "(?<").replace(/^\(\?[a-z]+\)/, "");
    return (new RegExp(`${source}|`, "u").exec("")?.length ?? 0) > 1;
  } catch {
    return false;
  }
}

export function isByte(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= 255;
}
