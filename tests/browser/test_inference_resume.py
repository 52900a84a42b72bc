"""A batch run in the browser that is stopped, and goes on where it was."""

import hashlib
import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Rest
from tests.models.colours import model_files, picture

ITEMS = 12_000
RUNS_LONG_MS = 90_000


def test_a_run_is_stopped_and_resumed_and_looks_at_nothing_twice(visit: Any, rest: Rest, project: str) -> None:
    _many(rest, project)
    rest.version(project, "models", "colours", model_files())
    source = {"type": "model", "model": "colours@1"}
    settings = {"form": "model", "source": source, "dataset": "sky@1", "workers": 1}
    rest.call("post", f"/projects/{project}/inferences", {"name": "look", "settings": settings})
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{project}", project))
    page: Page = visitor.go(f"/p/{project}/inferences/look")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page).to_have_url(re.compile(r"/inferences/look/runs/1$"))
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(page.locator("h1").get_by_text("Stopped", exact=True)).to_be_visible(timeout=RUNS_LONG_MS)

    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(page.locator("h1").get_by_text("Completed")).to_be_visible(timeout=RUNS_LONG_MS)
    expect(page.get_by_text("12,000 of 12,000")).to_be_visible()
    run = rest.call("get", f"/projects/{project}/inferences/look/runs/1")
    assert (run["done"], run["errors"]) == (ITEMS, 0)
    page.get_by_role("tab", name="Overview").click()
    expect(page.get_by_text("12,000 items, 12,000 annotations")).to_be_visible()


def _many(rest: Rest, project: str) -> None:
    """A dataset of one picture under many names."""
    content = picture("blue")
    body = {"name": "sky", "data_type": "image", "annotation_type": "classification"}
    rest.call("post", f"/projects/{project}/datasets", body)
    rest.call("post", f"/projects/{project}/datasets/sky/versions", {})
    rest.version(project, "models", "content", {"sky.png": content}, commit=False)
    known = {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content), "media": "image/png"}
    items = [{"path": f"{number:05}.png", "width": 24, "height": 16, **known} for number in range(ITEMS)]
    address = f"/projects/{project}/datasets/sky/versions/1/items/bulk"
    for start in range(0, ITEMS, 1000):
        rest.call("post", address, {"items": items[start : start + 1000]})
