/** Terminal colours in program output (SGR), and what to leave out of it: all other control sequences. */
export interface Style {
  /** 0–7 normal, 8–15 bright, or a CSS colour. */
  colour?: number | string;
  background?: number | string;
  isBold?: boolean;
  isFaint?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
}

export interface Piece {
  text: string;
  style: Style;
}

export const PLAIN: Style = {};

// eslint-disable-next-line no-control-regex -- control sequences are exactly what is looked for
const SEQUENCE = /\u001b\[([0-9;:]*)m|\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The line in pieces of one style each, and the style the next line begins with. */
export function parseAnsi(line: string, start: Style = PLAIN): { pieces: Piece[]; end: Style } {
  const pieces: Piece[] = [];
  let style = start;
  let at = 0;
  for (const match of line.matchAll(SEQUENCE)) {
    if (match.index > at) pieces.push({ text: line.slice(at, match.index), style });
    if (match[1] !== undefined) style = applied(style, match[1]);
    at = match.index + match[0].length;
  }
  if (at < line.length) pieces.push({ text: line.slice(at), style });
  return { pieces, end: style };
}

export function plainText(line: string): string {
  return line.replace(SEQUENCE, "");
}

function applied(before: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let style = { ...before };
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(numbers.slice(index + 1));
      style = { ...style, [code === 38 ? "colour" : "background"]: colour };
      index += used;
    } else style = withCode(style, code);
  }
  return style;
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isFaint: true };
  if (code === 3) return { ...style, isItalic: true };
  if (code === 4) return { ...style, isUnderlined: true };
  if (code === 22) return { ...style, isBold: false, isFaint: false };
  if (code === 23) return { ...style, isItalic: false };
  if (code === 24) return { ...style, isUnderlined: false };
  if (code === 39) return { ...style, colour: undefined };
  if (code === 49) return { ...style, background: undefined };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

/** One of 256 colours (`5;n`) or any (`2;r;g;b`), and how many numbers that took. */
function extended([mode, ...rest]: number[]): [number | string | undefined, number] {
  if (mode === 5) return [palette(rest[0] ?? 0), 2];
  if (mode === 2) return [rgb(rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0), 4];
  return [undefined, 1];
}

function palette(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) return rgb(...grey(8 + (index - 232) * 10));
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function grey(value: number): [number, number, number] {
  return [value, value, value];
}

function rgb(red: number, green: number, blue: number): string {
  return `rgb(${[red, green, blue].map((value) => Math.min(255, Math.max(0, value))).join(" ")})`;
}
