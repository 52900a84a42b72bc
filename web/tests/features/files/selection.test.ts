import { describe, expect, it } from "vitest";
import { actedOn, extendTo, focusOn, keepOnly, NOTHING, step, tickAll, toggle } from "@/features/files/browse/selection";

const order = ["a", "b", "c", "d"];
const ticked = (selection: { ticked: ReadonlySet<string> }) => [...selection.ticked].sort();

describe("a selection of rows", () => {
  it("moves with the keyboard and stops at the ends", () => {
    expect(step(NOTHING, order, 1, false).focus).toBe("a");
    expect(step(focusOn(NOTHING, "d"), order, 1, false).focus).toBe("d");
    expect(step(focusOn(NOTHING, "b"), order, -10, false).focus).toBe("a");
    expect(step(NOTHING, [], 1, false)).toBe(NOTHING);
  });

  it("ticks the rows that are passed with Shift", () => {
    const started = focusOn(NOTHING, "b");
    expect(ticked(step(step(started, order, 1, true), order, 1, true))).toEqual(["b", "c", "d"]);
    expect(ticked(extendTo(focusOn(NOTHING, "c"), order, "a"))).toEqual(["a", "b", "c"]);
  });

  it("is turned on and off one by one", () => {
    const one = toggle(NOTHING, "b");
    expect(ticked(one)).toEqual(["b"]);
    expect(ticked(toggle(one, "b"))).toEqual([]);
    expect(ticked(tickAll(NOTHING, order))).toEqual(order);
  });

  it("forgets rows that are gone", () => {
    const before = tickAll(focusOn(NOTHING, "d"), order);
    const after = keepOnly(before, ["a", "b"]);
    expect(ticked(after)).toEqual(["a", "b"]);
    expect(after.focus).toBeNull();
  });

  it("is what an action is about, else the row with the keyboard", () => {
    expect(actedOn(focusOn(NOTHING, "b"))).toEqual(["b"]);
    expect(actedOn(focusOn(toggle(NOTHING, "c"), "b"))).toEqual(["c"]);
    expect(actedOn(NOTHING)).toEqual([]);
  });
});
