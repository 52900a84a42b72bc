import { memo } from "react";
import type { CSSProperties } from "react";
import { parseAnsi } from "./ansi";
import type { Style } from "./ansi";
import styles from "./Logs.module.css";

/** One line of output in its colours, with what was searched for marked. */
export const LogText = memo(function LogText({ text, style, mark = "" }: { text: string; style: Style; mark?: string }) {
  const { pieces } = parseAnsi(text, style);
  return pieces.map((piece, index) => (
    <span key={index} {...look(piece.style)}>
      {marked(piece.text, mark)}
    </span>
  ));
});

function look(style: Style): { className?: string; style?: CSSProperties; "data-colour"?: number; "data-back"?: number } {
  const names = [style.isBold && styles.bold, style.isFaint && styles.faint, style.isItalic && styles.italic, style.isUnderlined && styles.underlined].filter(Boolean);
  return {
    className: names.length > 0 ? names.join(" ") : undefined,
    "data-colour": typeof style.colour === "number" ? style.colour : undefined,
    "data-back": typeof style.background === "number" ? style.background : undefined,
    style: typeof style.colour === "string" || typeof style.background === "string" ? { color: text(style.colour), backgroundColor: text(style.background) } : undefined,
  };
}

function text(colour: number | string | undefined): string | undefined {
  return typeof colour === "string" ? colour : undefined;
}

function marked(line: string, mark: string) {
  if (mark === "") return line;
  const parts: (string | { found: string })[] = [];
  const [lower, wanted] = [line.toLowerCase(), mark.toLowerCase()];
  let at = 0;
  for (let found = lower.indexOf(wanted); found >= 0; found = lower.indexOf(wanted, at)) {
    parts.push(line.slice(at, found), { found: line.slice(found, found + mark.length) });
    at = found + mark.length;
  }
  parts.push(line.slice(at));
  return parts.map((part, index) => (typeof part === "string" ? part : <mark key={index}>{part.found}</mark>));
}
