const NAMES: Record<string, string> = { arrowleft: "←", arrowright: "→", arrowup: "↑", arrowdown: "↓", " ": "Space", ctrl: "Ctrl", shift: "Shift", alt: "Alt", escape: "Esc", enter: "Enter", delete: "Del", backspace: "⌫", pageup: "PgUp", pagedown: "PgDn", home: "Home", end: "End", tab: "Tab" };

/** A key as it stands on a keyboard. */
export function keyText(key: string): string {
  const parts = key === "+" ? ["+"] : key.split("+").map((part, i, all) => (part === "" && i === all.length - 1 ? "+" : part)).filter((part) => part !== "");
  return parts.map((part) => NAMES[part] ?? part.toUpperCase()).join(" + ");
}
