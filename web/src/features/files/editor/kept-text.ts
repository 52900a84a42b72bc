/** Text typed but not saved, kept in this browser until it is saved, so that a closed tab or a crash loses nothing. */
export interface KeptText {
  text: string;
  /** The digest of the content the typing started from; null for a file that does not exist yet. */
  base: string | null;
  at: string;
}

const PREFIX = "tidemill.unsaved.";

export function readKept(key: string): KeptText | null {
  const found = storage()?.getItem(PREFIX + key);
  if (!found) return null;
  const parsed: unknown = JSON.parse(found);
  return isKept(parsed) ? parsed : null;
}

/** False when this browser has no room for it or does not allow it; the user is then told that closing the tab loses it. */
export function keepText(key: string, kept: KeptText): boolean {
  try {
    const place = storage();
    place?.setItem(PREFIX + key, JSON.stringify(kept));
    return place !== null;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

export function forgetKept(key: string): void {
  storage()?.removeItem(PREFIX + key);
}

function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch (error) {
    if (error instanceof DOMException) return null; // forbidden by the browser's settings
    throw error;
  }
}

function isKept(value: unknown): value is KeptText {
  if (typeof value !== "object" || value === null) return false;
  return "text" in value && typeof value.text === "string" && "base" in value && "at" in value && typeof value.at === "string";
}
