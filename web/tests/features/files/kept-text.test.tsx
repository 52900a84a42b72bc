// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useEditing } from "@/features/files/editor/editing-state";
import { forgetKept, keepText, readKept } from "@/features/files/editor/kept-text";

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe("unsaved text", () => {
  it("is kept until it is forgotten", () => {
    const kept = { text: "typed", base: "d1", at: "2026-01-01T00:00:00Z" };
    expect(keepText("v1:a.py", kept)).toBe(true);
    expect(readKept("v1:a.py")).toEqual(kept);
    forgetKept("v1:a.py");
    expect(readKept("v1:a.py")).toBeNull();
  });

  it("says so when the browser has no room for it", () => {
    const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    expect(keepText("v1:a.py", { text: "x", base: null, at: "" })).toBe(false);
    full.mockRestore();
  });
});

describe("editing", () => {
  it("keeps what is typed, and brings it back with the content it started from", () => {
    const first = renderHook(() => useEditing("v1:a.py", "old", "d1"));
    act(() => first.result.current.change("new"));
    expect(first.result.current.isDirty).toBe(true);
    act(() => void vi.advanceTimersByTime(1000));
    first.unmount();

    const again = renderHook(() => useEditing("v1:a.py", "changed by another", "d2"));
    expect(again.result.current).toMatchObject({ text: "new", base: "d1", isDirty: true });
    expect(again.result.current.restored).not.toBeNull();
  });

  it("forgets what was kept once it is saved", () => {
    const { result } = renderHook(() => useEditing("v1:a.py", "old", "d1"));
    act(() => result.current.change("new"));
    act(() => void vi.advanceTimersByTime(1000));
    act(() => result.current.saved("new", "d2"));
    expect(result.current).toMatchObject({ base: "d2", isDirty: false });
    expect(readKept("v1:a.py")).toBeNull();
  });

  it("starts again with the other's content when it is taken", () => {
    const { result } = renderHook(() => useEditing("v1:a.py", "old", "d1"));
    act(() => result.current.change("mine"));
    act(() => result.current.startAgain("theirs", "d9"));
    expect(result.current).toMatchObject({ text: "theirs", base: "d9", isDirty: false });
  });
});
