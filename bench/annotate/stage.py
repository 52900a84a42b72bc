"""What is measured in the page."""

import random
from itertools import pairwise
from typing import Any

from playwright.sync_api import Page, expect

# Moves the view a little in every frame, as a hand would, and notes when each frame came.
_MOVE = """async (root, [what, seconds]) => {
  const { stage } = root;
  stage.fit();
  const times = [];
  const start = performance.now();
  await new Promise((done) => {
    const step = (now) => {
      times.push(now);
      const t = (performance.now() - start) / 1000;
      if (t > seconds) return done();
      if (what !== "zoom") stage.panBy(14 * Math.cos(t * 2), 10 * Math.sin(t * 3));
      if (what !== "pan") stage.zoom(Math.sin(t * 1.6) > 0 ? 1.02 : 1 / 1.02);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  return times;
}"""

# From the release of the pointer to the frame after the one that shows the box where it was dropped.
_EDIT = """async (root) => {
  const { stage } = root;
  const shape = stage.scene.shapes.findLast((one) => one.type === "box");
  const box = root.getBoundingClientRect();
  const [x, y] = stage.view.toScreen([shape.x + shape.w / 2, shape.y + shape.h / 2]);
  const send = (type, dx, buttons) => root.dispatchEvent(new PointerEvent(type, {
    bubbles: true, pointerId: 1, button: 0, buttons, clientX: box.left + x + dx, clientY: box.top + y, detail: 1 }));
  root.setPointerCapture = () => undefined;
  stage.desk.select([shape.id]);
  send("pointerdown", 0, 1);
  send("pointermove", 12, 1);
  await new Promise(requestAnimationFrame);
  const started = performance.now();
  send("pointerup", 12, 0);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - started;
}"""

# Notes when the next key comes, and the frame in which the item of that name is shown.
_WATCH = """(root, name) => {
  window.timed = new Promise((done) => window.addEventListener("keydown", () => {
    const pressed = performance.now();
    const look = () => {
      const isThere = root.getAttribute("aria-label").startsWith(name) && root.getAttribute("aria-busy") === "false";
      if (isThere) requestAnimationFrame(() => done(performance.now() - pressed));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true }));
}"""


class Drawing:
    """The item with thousands of shapes."""

    def __init__(self, page: Page, url: str) -> None:
        page.goto(url)
        self.canvas = page.get_by_test_id("canvas")
        expect(self.canvas).to_have_attribute("aria-busy", "false", timeout=60_000)
        page.keyboard.press("v")

    def rate(self, what: str, seconds: float) -> tuple[float, float, float]:
        """Frames a second, and how long the middle one and the slowest hundredth of them took in milliseconds."""
        times: list[float] = self.canvas.evaluate(_MOVE, [what, seconds])
        gaps = sorted(after - before for before, after in pairwise(times))
        return 1000 * len(gaps) / sum(gaps), gaps[len(gaps) // 2], gaps[int(len(gaps) * 0.99) - 1]

    def edit_ms(self) -> float:
        took: float = self.canvas.evaluate(_EDIT)
        return took


class Moving:
    """The version of thousands of items; the name of item n is n - 1 in six digits."""

    def __init__(self, page: Page, url: str, count: int) -> None:
        self.page = page
        self.url = url
        self.count = count
        self.chance = random.Random(5)
        self._visit(1)

    def open_ms(self, _step: int) -> float:
        """Any item, by its number."""
        seq = self.chance.randrange(1, self.count)
        field = self.page.get_by_role("spinbutton")
        field.fill(str(seq))
        return self._timed(lambda: field.press("Enter"), seq)

    def next_ms(self, step: int) -> float:
        """The one after, a moment later: annotators look at a picture before they go on."""
        if step == 0:
            self._visit(100)
        self.page.wait_for_load_state("networkidle")
        return self._timed(lambda: self.page.keyboard.press("ArrowRight"), 101 + step)

    def _visit(self, seq: int) -> None:
        self.page.goto(f"{self.url}?item={seq}")
        self.canvas = self.page.get_by_test_id("canvas")
        expect(self.canvas).to_have_attribute("aria-busy", "false", timeout=60_000)

    def _timed(self, act: Any, seq: int) -> float:
        self.canvas.evaluate(_WATCH, f"{seq - 1:06}.jpg")
        act()
        took: float = self.page.evaluate("window.timed")
        return took
