/** Small choices kept in this browser (theme, columns, last project). Losing them costs nothing. */
const PREFIX = "tidemill.";

export function readSaved(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null; // storage may be forbidden by the browser's settings; the default is then used
  }
}

export function save(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch (error) {
    // Storage forbidden or full: the choice holds until the page is closed.
    if (!(error instanceof DOMException)) throw error;
  }
}
