import { vi } from "vitest";

// jsdom has neither; the theme and Ant Design's breakpoints ask for the first, tables and text areas for the second.
vi.stubGlobal("matchMedia", (query: string) => ({
  matches: query.includes("min-width"),
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
}));
vi.stubGlobal(
  "ResizeObserver",
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

if (typeof window !== "undefined") {
  // jsdom knows no pseudo-elements and says so at length; the element's own style is a good enough answer.
  const computed = window.getComputedStyle.bind(window);
  window.getComputedStyle = (element: Element) => computed(element);
}
