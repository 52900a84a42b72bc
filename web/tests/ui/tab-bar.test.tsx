// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { TabBar } from "@/ui/TabBar";

const TABS = ["one", "two", "three"].map((key) => ({ key, label: key.toUpperCase() }));

function Example() {
  const [current, setCurrent] = useState("one");
  return (
    <TabBar tabs={TABS} current={current} onChange={setCurrent}>
      {current}!
    </TabBar>
  );
}

afterEach(cleanup);

it("moves between tabs by keyboard, around the ends too", async () => {
  render(<Example />);
  await userEvent.tab();
  await userEvent.keyboard("{ArrowLeft}");
  expect(screen.getByRole("tabpanel").textContent).toBe("three!");
  expect(document.activeElement).toBe(screen.getByRole("tab", { name: "THREE" }));
  await userEvent.keyboard("{Home}");
  expect(screen.getByRole("tab", { name: "ONE" }).getAttribute("aria-selected")).toBe("true");
});

it("can be reached by Tab only at the current one", () => {
  render(<Example />);
  expect(screen.getAllByRole("tab").map((tab) => tab.tabIndex)).toEqual([0, -1, -1]);
});
