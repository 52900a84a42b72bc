// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ServiceBadge } from "@/features/services/ServiceBadge";
import { startTexts } from "@/i18n";
import { renderPage } from "../../ui/render";

beforeAll(() => startTexts());
afterEach(cleanup);

describe("the state of a service", () => {
  it("is waiting while its package's build waits in the queue, and building once it is built", () => {
    renderPage(
      <>
        <ServiceBadge of={{ state: "building", reason: "Not enough CPU is free.", waits_for: "build" }} />
        <ServiceBadge of={{ state: "building", reason: "The package is being built.", waits_for: null }} />
      </>,
    );
    expect(screen.getByText("Waiting to be built").dataset.tone).toBe("waiting");
    expect(screen.getByText("Building")).toBeTruthy();
  });

  it("is waiting for room while no replica is there and the first one waits", () => {
    renderPage(<ServiceBadge of={{ state: "starting", reason: "", waits_for: "replica" }} />);
    expect(screen.getByText("Waiting for room").dataset.tone).toBe("waiting");
  });

  it("is what it is while something answers, whatever waits beside it", () => {
    renderPage(<ServiceBadge of={{ state: "updating", reason: "", waits_for: "replica" }} />);
    expect(screen.getByText("Updating")).toBeTruthy();
  });
});
