import { describe, expect, it } from "vitest";
import { LogBuffer } from "@/features/workloads/logs/log-buffer";

const piece = (text: string, offset = 0) => ({ text, offset, next_offset: offset + text.length, end_offset: offset + text.length, is_over: false });
const texts = (buffer: LogBuffer) => buffer.lines.map((line) => line.text);

function begun(text: string, offset = 0): LogBuffer {
  const buffer = new LogBuffer();
  buffer.begin(piece(text, offset));
  return buffer;
}

describe("a log in memory", () => {
  it("puts a line together from the pieces it came in", () => {
    const buffer = begun("one\ntw");
    buffer.append("o\nthr", 10);
    buffer.append("ee", 12);
    expect(texts(buffer)).toEqual(["one", "two", "three"]);
    expect(buffer.next).toBe(12);
  });

  it("keeps empty lines, and makes none of a line's end", () => {
    expect(texts(begun("a\n\nb\n"))).toEqual(["a", "", "b"]);
  });

  it("shows of a progress bar its last state, however it was cut", () => {
    const buffer = begun("10%\r20%\r");
    buffer.append("30", 10);
    buffer.append("%\r100%\ndone\r\n", 20);
    expect(texts(buffer).map((text) => text.replace("\r", ""))).toEqual(["100%", "done"]);
  });

  it("carries a colour over to the next lines", () => {
    expect(begun("\u001b[31ma\nb\u001b[0m\nc").lines.map((line) => line.style.colour)).toEqual([undefined, 1, undefined]);
  });

  it("takes earlier lines before the first, and joins the one that was cut in two", () => {
    const buffer = begun("rd\nfourth\n", 16);
    const keys = buffer.lines.map((line) => line.key);
    const added = buffer.prepend(piece("first\nsecond\nthi"));
    expect(texts(buffer)).toEqual(["first", "second", "third", "fourth"]);
    expect(added).toBe(2);
    expect(buffer.lines.slice(2).map((line) => line.key)).toEqual(keys);
    expect(buffer.isCut).toBe(false);
  });

  it("gives earlier lines keys of their own, again and again", () => {
    const buffer = begun("c\n", 4);
    buffer.prepend(piece("b\n", 2));
    buffer.prepend(piece("a\n"));
    expect(texts(buffer)).toEqual(["a", "b", "c"]);
    expect(new Set(buffer.lines.map((line) => line.key)).size).toBe(3);
  });

  it("does not grow without end: the oldest lines go", () => {
    const buffer = new LogBuffer(100);
    buffer.begin(piece(Array.from({ length: 150 }, (_, index) => `line ${index}\n`).join("")));
    expect(buffer.lines.length).toBeLessThanOrEqual(100);
    expect(texts(buffer).at(-1)).toBe("line 149");
    expect(buffer.isCut).toBe(true);
  });

  it("breaks what has no line ends into lines that can be drawn", () => {
    const buffer = begun("x".repeat(100_000));
    expect(Math.max(...buffer.lines.map((line) => line.text.length))).toBeLessThanOrEqual(16_384);
    expect(texts(buffer).join("")).toHaveLength(100_000);
  });
});
