import { describe, expect, it } from "vitest";
import { makeFormats } from "@/lib/format";

const english = makeFormats("en");
const chinese = makeFormats("zh-CN");

describe("formats", () => {
  it("write sizes with the unit that fits", () => {
    expect(english.bytes(0)).toBe("0 B");
    expect(english.bytes(1023)).toBe("1,023 B");
    expect(english.bytes(1536)).toBe("1.5 KiB");
    expect(english.bytes(200 * 1024 ** 3)).toBe("200 GiB");
  });

  it("write how long ago in the user's language", () => {
    const now = Date.parse("2025-01-02T00:00:00Z");
    expect(english.relative("2025-01-01T23:00:00Z", now)).toBe("1 hour ago");
    expect(chinese.relative("2025-01-01T23:00:00Z", now)).toBe("1小时前");
    expect(english.relative("2025-01-01T23:59:50Z", now)).toBe("just now");
    expect(english.relative("2025-01-05T00:00:00Z", now)).toBe("in 3 days");
  });

  it("write durations by their two largest parts", () => {
    expect(english.duration(90_061)).toBe("1 day 1 hr");
    expect(english.duration(61)).toBe("1 min 1 sec");
    expect(english.duration(0)).toBe("0 sec");
  });
});
