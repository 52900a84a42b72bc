/** Reads a Jupyter notebook (nbformat 4) into what can be shown. Notebooks come from anywhere, so nothing in them is taken on trust. */
export type NotebookOutput =
  | { kind: "text"; text: string; isError: boolean }
  | { kind: "image"; address: string }
  | { kind: "html"; html: string }
  | { kind: "markdown"; text: string };

export interface NotebookCell {
  kind: "markdown" | "code" | "raw";
  source: string;
  count: number | null;
  outputs: NotebookOutput[];
}

export interface Notebook {
  language: string;
  cells: NotebookCell[];
}

type Fields = Record<string, unknown>;

/** Null when this is not a notebook. */
export function parseNotebook(text: string): Notebook | null {
  const parsed = parseJson(text);
  if (!isFields(parsed) || !Array.isArray(parsed.cells)) return null;
  return { language: languageOf(parsed.metadata), cells: parsed.cells.filter(isFields).map(cellOf) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function languageOf(metadata: unknown): string {
  if (!isFields(metadata)) return "python";
  const info = isFields(metadata.language_info) ? metadata.language_info : metadata.kernelspec;
  const name = isFields(info) ? (info.name ?? info.language) : null;
  return typeof name === "string" ? name : "python";
}

function cellOf(cell: Fields): NotebookCell {
  const kind = cell.cell_type === "markdown" || cell.cell_type === "raw" ? cell.cell_type : "code";
  return {
    kind,
    source: textOf(cell.source),
    count: typeof cell.execution_count === "number" ? cell.execution_count : null,
    outputs: Array.isArray(cell.outputs) ? cell.outputs.filter(isFields).flatMap(outputOf) : [],
  };
}

function outputOf(output: Fields): NotebookOutput[] {
  if (output.output_type === "stream") return [{ kind: "text", text: plain(textOf(output.text)), isError: output.name === "stderr" }];
  if (output.output_type === "error") return [{ kind: "text", text: plain(tracebackOf(output)), isError: true }];
  return isFields(output.data) ? richOutput(output.data) : [];
}

function tracebackOf(output: Fields): string {
  if (Array.isArray(output.traceback)) return output.traceback.map(String).join("\n");
  return `${String(output.ename)}: ${String(output.evalue)}`;
}

/** The richest form that can be shown safely. */
function richOutput(data: Fields): NotebookOutput[] {
  for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp"]) {
    if (type in data) return [{ kind: "image", address: `data:${type};base64,${textOf(data[type]).replace(/\s+/g, "")}` }];
  }
  if ("image/svg+xml" in data) return [{ kind: "image", address: svgAddress(textOf(data["image/svg+xml"])) }];
  if ("text/html" in data) return [{ kind: "html", html: textOf(data["text/html"]) }];
  if ("text/markdown" in data) return [{ kind: "markdown", text: textOf(data["text/markdown"]) }];
  if ("application/json" in data) return [{ kind: "text", text: JSON.stringify(data["application/json"], null, 2), isError: false }];
  const text = data["text/plain"] ?? data["text/latex"];
  return text === undefined ? [] : [{ kind: "text", text: plain(textOf(text)), isError: false }];
}

/** As the address of a picture an SVG can neither run scripts nor load anything. */
function svgAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** Text in a notebook is one string or a list of lines. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map(String).join("") : "";
}

/** Without the colour codes of a terminal. */
function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
