// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, terminalAddress } from "@/features/terminal/connection";
import type { Link, LinkState } from "@/features/terminal/connection";
import { keyMeaning } from "@/features/terminal/keys";

class Line {
  static all: Line[] = [];
  readyState = 0;
  binaryType = "";
  sent: (string | string[])[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  constructor() {
    Line.all.push(this);
  }
  send(data: string | Uint8Array) {
    this.sent.push(typeof data === "string" ? data : [new TextDecoder().decode(data)]);
  }
  close() {
    this.readyState = 3;
  }
  opens() {
    this.readyState = 1;
    this.onopen?.();
  }
  ends(code: number, reason = "") {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

describe("the line of a terminal", () => {
  let states: LinkState[];
  let shown: string;
  let link: Link;
  const last = () => Line.all.at(-1) as Line;

  beforeEach(() => {
    vi.useFakeTimers();
    Line.all = [];
    states = [];
    shown = "";
    link = connect({
      address: "ws://here/shell",
      onBytes: (bytes) => (shown += new TextDecoder().decode(bytes)),
      onState: (state) => states.push(state),
      makeSocket: () => new Line() as unknown as WebSocket,
    });
  });
  afterEach(() => vi.useRealTimers());

  it("carries bytes both ways and tells the size of the window once it is open", () => {
    link.resize(80, 24);
    last().opens();
    link.send("ls\r");
    last().onmessage?.({ data: new TextEncoder().encode("潮汐").buffer });
    expect(last().sent).toEqual(['{"resize":[80,24]}', ["ls\r"]]);
    expect(shown).toBe("潮汐");
  });

  it("is laid again after a break, later each time, and tells its size again", () => {
    link.resize(100, 30);
    last().opens();
    last().ends(1006);
    expect(states.at(-1)).toEqual({ kind: "waiting", seconds: 1 });
    vi.advanceTimersByTime(1000);
    last().ends(1006);
    expect(states.at(-1)).toEqual({ kind: "waiting", seconds: 2 });
    vi.advanceTimersByTime(2000);
    last().opens();
    expect(Line.all).toHaveLength(3);
    expect(last().sent).toEqual(['{"resize":[100,30]}']);
  });

  it("stays down when the shell ended or the server refused, until it is asked for", () => {
    last().opens();
    last().ends(1000);
    vi.advanceTimersByTime(60_000);
    expect(states.at(-1)).toEqual({ kind: "over", refusal: null, reason: "" });
    expect(Line.all).toHaveLength(1);
    link.again();
    last().ends(4404, "not running");
    expect(states.at(-1)).toEqual({ kind: "over", refusal: 4404, reason: "not running" });
    expect(Line.all).toHaveLength(2);
  });

  it("does not come back after it was closed", () => {
    last().opens();
    last().ends(1006);
    link.close();
    vi.advanceTimersByTime(60_000);
    expect(Line.all).toHaveLength(1);
  });

  it("goes to the page's own origin", () => {
    const place = { protocol: "https:", host: "mill.example:8700" } as Location;
    expect(terminalAddress("深度学习", "wl_1", 2, place)).toBe(`wss://mill.example:8700/api/v1/projects/${encodeURIComponent("深度学习")}/workloads/wl_1/terminal?node=2`);
  });
});

describe("keys in a terminal", () => {
  const key = (name: string, held: Partial<KeyboardEvent> = {}) => ({ key: name, ctrlKey: false, shiftKey: false, altKey: false, metaKey: false, ...held });

  it("interrupt without a selection and copy with one", () => {
    expect(keyMeaning(key("c", { ctrlKey: true }), false)).toBeNull();
    expect(keyMeaning(key("c", { ctrlKey: true }), true)).toBe("copy");
    expect(keyMeaning(key("C", { ctrlKey: true, shiftKey: true }), false)).toBe("copy");
  });

  it("paste, leave, and otherwise belong to the shell", () => {
    expect(keyMeaning(key("v", { ctrlKey: true }), false)).toBe("paste");
    expect(keyMeaning(key("Escape", { shiftKey: true }), false)).toBe("leave");
    expect(keyMeaning(key("Escape"), false)).toBeNull();
    expect(keyMeaning(key("Tab"), false)).toBeNull();
  });
});
