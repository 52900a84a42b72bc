/** Flattens what a thing was and what it became into one line a field. */
export interface Change {
  field: string;
  before: string | null;
  after: string | null;
  isChanged: boolean;
}

type Values = Record<string, unknown>;

export function changesOf(before: Values | null, after: Values | null): Change[] {
  const old = flat(before);
  const now = flat(after);
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  const changes = fields.map((field) => {
    const [was, is] = [old.get(field) ?? null, now.get(field) ?? null];
    return { field, before: was, after: is, isChanged: was !== is };
  });
  // What changed is what one came to see.
  return changes.sort((a, b) => Number(b.isChanged) - Number(a.isChanged));
}

function flat(values: Values | null, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(values ?? {})) {
    if (isValues(value) && Object.keys(value).length > 0) {
      for (const [inner, text] of flat(value, `${prefix}${key}.`)) found.set(inner, text);
    } else if (value !== null && value !== undefined) {
      found.set(prefix + key, typeof value === "string" ? value : JSON.stringify(value));
    }
  }
  return found;
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
