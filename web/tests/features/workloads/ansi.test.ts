import { describe, expect, it } from "vitest";
import { parseAnsi, plainText } from "@/features/workloads/logs/ansi";

const ESC = "\u001b";

describe("terminal colours", () => {
  it("colour what comes after them, also on the next line", () => {
    const { pieces, end } = parseAnsi(`a${ESC}[1;31mred`);
    expect(pieces).toEqual([
      { text: "a", style: {} },
      { text: "red", style: { isBold: true, colour: 1 } },
    ]);
    expect(parseAnsi(`more${ESC}[0m.`, end).pieces.map((piece) => piece.style)).toEqual([{ isBold: true, colour: 1 }, {}]);
  });

  it("of 256 and of all colours are understood", () => {
    expect(parseAnsi(`${ESC}[38;5;9mx`).pieces[0]?.style.colour).toBe(9);
    expect(parseAnsi(`${ESC}[38;5;196mx`).pieces[0]?.style.colour).toBe("rgb(255 0 0)");
    expect(parseAnsi(`${ESC}[48;2;1;2;3mx`).pieces[0]?.style.background).toBe("rgb(1 2 3)");
    expect(parseAnsi(`${ESC}[38;2;1;2;3;1mx`).pieces[0]?.style).toEqual({ colour: "rgb(1 2 3)", isBold: true });
  });

  it("and all other control sequences leave no trace in the text", () => {
    expect(plainText(`${ESC}[2K${ESC}[1Gdone${ESC}]0;title\u0007${ESC}[?25h\u0007!`)).toBe("done!");
    expect(plainText("a\tb")).toBe("a\tb");
  });
});
