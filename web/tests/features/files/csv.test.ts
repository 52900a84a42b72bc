import { describe, expect, it } from "vitest";
import { parseSheet, sniffSeparator, wholeRows } from "@/features/files/preview/csv";

describe("a sheet", () => {
  it("keeps commas, quotes and line breaks inside quotes", () => {
    expect(parseSheet('a,b\n"x, ""y""","line 1\nline 2"\n', 10).rows).toEqual([
      ["a", "b"],
      ['x, "y"', "line 1\nline 2"],
    ]);
  });

  it("takes any line ending, a byte-order mark, and a missing last one", () => {
    expect(parseSheet("\ufeffa,b\r\n1,2\r3,4", 10, ",").rows).toEqual([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
    ]);
  });

  it("keeps empty cells, also the last", () => {
    expect(parseSheet("a,,c\n1,,\n", 10).rows).toEqual([
      ["a", "", "c"],
      ["1", "", ""],
    ]);
    expect(parseSheet("1,", 10, ",").rows).toEqual([["1", ""]]);
  });

  it("stops after the rows asked for and says so", () => {
    const sheet = parseSheet("a\n1\n2\n3\n", 2, ",");
    expect(sheet.rows).toHaveLength(2);
    expect(sheet.isCut).toBe(true);
    expect(parseSheet("a\n1\n", 2, ",").isCut).toBe(false);
  });

  it("counts the widest row", () => {
    expect(parseSheet("a,b\n1,2,3\n", 10).columns).toBe(3);
  });

  it("survives a quote that never ends", () => {
    expect(parseSheet('a,"b\nc', 10, ",").rows).toEqual([["a", "b\nc"]]);
  });

  it.each([
    ["a,b\n1,2", ","],
    ["a\tb\n1\t2", "\t"],
    ["a;b;c\n1;2,5;3", ";"],
    ["only\none", ","],
  ])("of %j is separated by %j", (text, separator) => {
    expect(sniffSeparator(text)).toBe(separator);
  });

  it("cut in the middle of a row loses only that row", () => {
    expect(wholeRows("a,b\n1,2\n3,")).toBe("a,b\n1,2\n");
  });
});
