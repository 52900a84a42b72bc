/** Keys that belong to the page rather than to the shell. */
export type TerminalKey = "copy" | "paste" | "leave";

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "shiftKey" | "altKey" | "metaKey">;

/**
 * Ctrl+C with something selected copies, as in other terminals; without a selection it is the shell's interrupt. Ctrl+V pastes.
 * Shift+Esc leaves the terminal, so that a keyboard user is never caught in it.
 */
export function keyMeaning({ key, ctrlKey, shiftKey, altKey, metaKey }: Pressed, hasSelection: boolean): TerminalKey | null {
  if (altKey || metaKey) return null;
  const letter = key.toLowerCase();
  if (ctrlKey && letter === "c" && (shiftKey || hasSelection)) return "copy";
  if (ctrlKey && letter === "v") return "paste";
  if (!ctrlKey && shiftKey && key === "Escape") return "leave";
  return null;
}
