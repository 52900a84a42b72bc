// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { listResults } from "@/features/inference/api";
import { ResultsTab } from "@/features/inference/results/ResultsTab";
import type { InferenceRun } from "@/features/inference/types";
import { startTexts } from "@/i18n";
import { renderPage } from "../../ui/render";

vi.mock("@/features/inference/api", async (original) => ({ ...(await original<object>()), listResults: vi.fn() }));

beforeAll(() => startTexts());
afterEach(cleanup);

const SAID: Record<InferenceRun["state"], [title: string, text: RegExp]> = {
  pending: ["No results yet", /The run waits/],
  starting: ["No results yet", /is starting/],
  running: ["No results yet", /while the run goes on/],
  stopping: ["No results", /is being stopped/],
  stopped: ["No results", /was stopped before any result was kept/],
  failed: ["No results", /failed before any result was kept/],
  completed: ["No results", /completed, but there was no item/],
};

describe("a run without results", () => {
  it.each(Object.entries(SAID))("says why when it is %s", async (state, [title, text]) => {
    vi.mocked(listResults).mockResolvedValue({ items: [], next: null, total: 0, total_capped: false });
    const run = { id: "r", state, classes: [], errors: 0 } as unknown as InferenceRun;
    renderPage(<ResultsTab at={{ project: "lab", inference: "look", run: "1" }} run={run} />);
    expect(await screen.findByText(title)).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
    if (state !== "running") expect(screen.queryByText(/while the run goes on/)).toBeNull();
  });
});
