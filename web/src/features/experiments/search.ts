/** From what a table's boxes hold to the words of the server's search. */
const STATUSES: Record<string, string[]> = {
  pending: ["SCHEDULED"],
  starting: ["SCHEDULED"],
  running: ["RUNNING"],
  stopping: ["RUNNING"],
  completed: ["FINISHED"],
  failed: ["FAILED"],
  stopped: ["KILLED"],
};

/** Everything that must hold: the search box, the state, and what was written by hand. */
export function filterOf(q: string | undefined, filters: Record<string, string>): string {
  const terms: string[] = [];
  if (q) terms.push(`attributes.run_name ILIKE ${quoted(`%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)}`);
  const states = STATUSES[filters.state ?? ""];
  if (states) terms.push(`attributes.status IN (${states.map(quoted).join(", ")})`);
  if (filters.filter?.trim()) terms.push(filters.filter.trim());
  return terms.join(" AND ");
}

/** `-metrics.acc` of the table's head as the server says it. */
export function orderOf(sort: string | undefined): string[] | undefined {
  if (!sort) return undefined;
  const field = sort.replace(/^-/, "");
  const dot = field.indexOf(".");
  const named = dot < 0 ? field : `${field.slice(0, dot)}.\`${field.slice(dot + 1)}\``;
  return [`${named} ${sort.startsWith("-") ? "DESC" : "ASC"}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
