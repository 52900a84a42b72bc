// @vitest-environment jsdom
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTexts } from "@/i18n";
import { ListPage } from "@/ui/list/ListPage";
import type { ListPageProps } from "@/ui/list/ListPage";
import type { ListQuery } from "@/ui/list/types";
import { renderPage } from "./render";

interface Thing {
  id: string;
  name: string;
}

const thing = (name: string): Thing => ({ id: name, name });
const page = (items: Thing[], next: string | null = null, total = items.length) => ({ items, next, total, total_capped: false });

function listOf(load: (query: ListQuery) => Promise<ReturnType<typeof page>>, more: Partial<ListPageProps<Thing>> = {}) {
  return (
    <ListPage<Thing>
      listKey="things"
      queryKey={["things"]}
      load={load}
      title="Things"
      columns={[
        { key: "name", title: "Name", sort: "name", render: (row) => row.name },
        { key: "id", title: "Id", render: (row) => <i>{row.id}!</i> },
      ]}
      keyOf={(row) => row.id}
      nameOf={(row) => row.name}
      empty={{ title: "Nothing yet" }}
      {...more}
    />
  );
}

beforeAll(() => startTexts());
afterEach(() => {
  cleanup();
  localStorage.clear();
});

describe("a list", () => {
  it("adds the next page below what is already there", async () => {
    const load = vi.fn(({ cursor }: ListQuery) => Promise.resolve(cursor ? page([thing("b")], null, 2) : page([thing("a")], "c1", 2)));
    renderPage(listOf(load));
    await userEvent.click(await screen.findByRole("button", { name: "Load more" }));
    expect(await screen.findByText("b")).toBeTruthy();
    expect(screen.getByText("a")).toBeTruthy();
    expect(load).toHaveBeenLastCalledWith(expect.objectContaining({ cursor: "c1" }));
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  });

  it("takes its state from the address and writes it back", async () => {
    const load = vi.fn(() => Promise.resolve(page([thing("a")])));
    const { router } = renderPage(listOf(load, { filters: [{ kind: "toggle", key: "mine", label: "Only my own" }] }), "/?q=cat&sort=-name&mine=true");
    await screen.findByText("a");
    expect(load).toHaveBeenCalledWith(expect.objectContaining({ q: "cat", sort: "-name", filters: { mine: "true" } }));
    await userEvent.click(screen.getByRole("switch", { name: "Only my own" }));
    await waitFor(() => expect(router.state.location.search).toBe("?q=cat&sort=-name"));
  });

  it("says so when it is empty, and otherwise when nothing matches", async () => {
    const { unmount } = renderPage(listOf(() => Promise.resolve(page([]))));
    expect(await screen.findByText("Nothing yet")).toBeTruthy();
    unmount();
    renderPage(listOf(() => Promise.resolve(page([]))), "/?q=zebra");
    await userEvent.click(await screen.findByRole("button", { name: "Clear search and filters" }));
    expect(await screen.findByText("Nothing yet")).toBeTruthy();
  });

  it("offers to try again after a failure", async () => {
    const load = vi.fn().mockRejectedValueOnce(new Error("broken")).mockResolvedValue(page([thing("a")]));
    renderPage(listOf(load));
    await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await screen.findByText("a")).toBeTruthy();
  });

  it("does a bulk action to each ticked row and reports the ones that refused", async () => {
    const run = vi.fn((row: Thing) => (row.name === "b" ? Promise.reject(new Error("in use")) : Promise.resolve()));
    renderPage(listOf(() => Promise.resolve(page([thing("a"), thing("b")])), { bulkActions: [{ key: "x", label: "Remove", confirmTitle: () => "Sure?", run }] }));
    await userEvent.click(await screen.findByRole("checkbox", { name: "Select a" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Select b" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    await userEvent.click((await screen.findAllByRole("button", { name: "Remove" })).at(-1) as HTMLElement);
    expect(await screen.findByText("Done for 1 of 2")).toBeTruthy();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("remembers which columns are hidden", async () => {
    const { unmount } = renderPage(listOf(() => Promise.resolve(page([thing("a")]))));
    await screen.findByText("a!");
    await userEvent.click(screen.getByRole("button", { name: "Columns" }));
    await userEvent.click(await screen.findByRole("checkbox", { name: "Id" }));
    await waitFor(() => expect(screen.queryByText("a!")).toBeNull());
    unmount();
    renderPage(listOf(() => Promise.resolve(page([thing("a")]))));
    await screen.findByText("a");
    expect(screen.queryByText("a!")).toBeNull();
  });
});
