const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A short random name, unique among the annotations of an item. */
export function newId(length = 8): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => ALPHABET[byte % 36]).join("");
}
