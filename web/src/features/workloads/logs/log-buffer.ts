/**
 * A stretch of a log in memory, as lines. It grows at both ends; when it is too long it loses lines at the end that is
 * not being looked at. Offsets are the server's, in bytes.
 */
import { parseAnsi, PLAIN } from "./ansi";
import type { Style } from "./ansi";
import type { LogPiece } from "../types";

export interface Line {
  /** Stays with the line when others are put before it. */
  key: number;
  text: string;
  /** The style the line begins with. */
  style: Style;
}

const MOST_LINES = 200_000;
/** A program that writes no line ends must not make one line of the whole log. */
const LONGEST = 16_384;

export class LogBuffer {
  lines: Line[] = [];
  /** Where what is held begins and ends. */
  start = 0;
  next = 0;
  /** Lines that were left out before the first: there is more to load, or it has been dropped. */
  isCut = false;
  private isOpen = false;
  private nextKey = 0;
  private firstKey = 0;

  constructor(private readonly most = MOST_LINES) {}

  get isEmpty(): boolean {
    return this.lines.length === 0;
  }

  /** Begins anew with this piece. A piece from the middle begins within a line, which is left out. */
  begin(piece: LogPiece): void {
    this.lines = [];
    this.isOpen = false;
    this.nextKey = 0;
    this.firstKey = 0;
    this.start = piece.offset;
    this.next = piece.offset;
    this.isCut = piece.offset > 0;
    this.append(piece.text, piece.next_offset);
  }

  append(text: string, next: number): void {
    this.next = next;
    if (text === "") return;
    const parts = text.split("\n");
    parts.forEach((part, index) => {
      if (index === 0 && this.isOpen) this.extend(part);
      else if (index < parts.length - 1 || part !== "") this.push(part);
    });
    this.isOpen = parts.at(-1) !== "";
    this.trim();
  }

  /** Lines from before the first; the last of them may go on in what is held. */
  prepend(piece: LogPiece): number {
    const earlier = new LogBuffer(Infinity);
    earlier.append(piece.text, piece.next_offset);
    const first = this.lines[0];
    if (earlier.isOpen && first) {
      const last = earlier.lines.pop();
      this.lines[0] = { ...first, text: overwritten((last?.text ?? "") + first.text) };
    }
    const added = earlier.lines.length;
    this.firstKey -= added;
    this.lines = [...earlier.lines.map((line, index) => ({ ...line, key: this.firstKey + index })), ...this.lines];
    this.start = piece.offset;
    this.isCut = piece.offset > 0;
    return added;
  }

  private extend(part: string): void {
    const last = this.lines.at(-1);
    if (!last) return this.push(part);
    if (last.text.length + part.length > LONGEST && !part.includes("\r")) return this.push(part);
    this.lines[this.lines.length - 1] = { ...last, text: overwritten(last.text + part) };
  }

  private push(part: string): void {
    const before = this.lines.at(-1);
    const style = before ? styleAfter(before) : PLAIN;
    for (let at = 0; at === 0 || at < part.length; at += LONGEST) {
      this.lines.push({ key: this.nextKey, text: overwritten(part.slice(at, at + LONGEST)), style });
      this.nextKey += 1;
    }
  }

  private trim(): void {
    const surplus = this.lines.length - this.most;
    if (surplus <= 0) return;
    // A good part at once, so that not every further line moves all the others.
    this.lines = this.lines.slice(surplus + Math.floor(this.most / 10));
    this.isCut = true;
    // How many bytes went is not known by line; earlier ones can be had again by loading from the beginning.
    this.start = Number.NaN;
  }
}

function styleAfter(line: Line): Style {
  return line.text.includes("\u001b") ? parseAnsi(line.text, line.style).end : line.style;
}

/** A progress bar goes back to the beginning of its line and writes over it; only the last state is kept. */
function overwritten(text: string): string {
  const bare = text.endsWith("\r") ? text.slice(0, -1) : text;
  const at = bare.lastIndexOf("\r");
  const kept = at < 0 ? bare : bare.slice(at + 1);
  return text.endsWith("\r") && bare !== "" ? `${kept}\r` : kept;
}
