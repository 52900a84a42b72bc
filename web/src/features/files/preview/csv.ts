/** Reads comma- or tab-separated text: quotes, doubled quotes, line breaks inside quotes, any line ending. */
export interface Sheet {
  rows: string[][];
  columns: number;
  /** There was more than was asked for. */
  isCut: boolean;
}

const CANDIDATES = [",", "\t", ";", "|"];

export function parseSheet(text: string, maxRows: number, separator = sniffSeparator(text)): Sheet {
  const rows: string[][] = [];
  let columns = 0;
  for (const row of readRows(text, separator)) {
    if (rows.length >= maxRows) return { rows, columns, isCut: true };
    rows.push(row);
    columns = Math.max(columns, row.length);
  }
  return { rows, columns, isCut: false };
}

/** The separator that splits the first lines into the same number of cells, more being better. */
export function sniffSeparator(text: string): string {
  const sample = text.slice(0, 20_000);
  let best = { separator: ",", score: 0 };
  for (const separator of CANDIDATES) {
    const widths = take(readRows(sample, separator), 10).map((row) => row.length);
    const first = widths[0] ?? 1;
    const agreeing = widths.filter((width) => width === first).length / Math.max(1, widths.length);
    const score = first > 1 ? first * agreeing : 0;
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

/** A part of a file usually ends in the middle of a row; this drops what is after the last whole one. */
export function wholeRows(text: string): string {
  const end = text.lastIndexOf("\n");
  return end < 0 ? text : text.slice(0, end + 1);
}

function* readRows(text: string, separator: string): Generator<string[]> {
  let row: string[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator);
    row.push(cell.value);
    at = cell.end;
    if (text[at] === separator) {
      at += 1;
      if (at < text.length) continue;
      row.push("");
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    if (row.length > 1 || row[0] !== "") yield row;
    row = [];
  }

  function quotedCell(source: string, start: number) {
    let value = "";
    let from = start + 1;
    for (;;) {
      const quote = source.indexOf('"', from);
      if (quote < 0) return { value: value + source.slice(from), end: source.length };
      value += source.slice(from, quote);
      if (source[quote + 1] !== '"') {
        const rest = plainCell(source, quote + 1, separator);
        return { value: value + rest.value, end: rest.end };
      }
      value += '"';
      from = quote + 2;
    }
  }
}

function plainCell(text: string, start: number, separator: string) {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(start, end), end };
}

function take<T>(items: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length >= count) break;
    taken.push(item);
  }
  return taken;
}
