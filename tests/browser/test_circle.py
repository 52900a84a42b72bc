"""The circle in the browser: import, annotate, train, deploy, call, and the service annotates what comes in next."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.annotating import Version
from tests.browser.conftest import Rest
from tests.browser.small_service import end_services
from tests.browser.test_loop import FEW, REST, empty_draft, import_pictures, label_a_few
from tests.live import ADMIN_PASSWORD
from tests.models.colours import LABELS, picture

LIMIT_MS = 90_000


@pytest.fixture
def circled(rest: Rest, project: str) -> Iterator[str]:
    """A project whose services end with the test."""
    yield project
    end_services(rest, project)


def test_what_was_annotated_by_hand_becomes_a_service_that_annotates_the_rest(
    visit: Any, rest: Rest, circled: str, tmp_path: Path
) -> None:
    version = empty_draft(rest, circled)
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page: Page = visitor.go(f"/p/{circled}/datasets/colours/versions/1/import")
    import_pictures(page, tmp_path / "colours.zip")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Done", timeout=LIMIT_MS)
    label_a_few(visitor, version)

    visitor.go(f"/p/{circled}/datasets/colours/versions/1")
    _publish(page)
    _train(page)
    _deploy(page)
    _call(page)
    _annotate_from_the_service(visitor, rest, version)
    _see_where_it_came_from(visitor, circled)


def _publish(page: Page) -> None:
    page.get_by_role("button", name="More").last.click()
    page.get_by_role("menuitem", name="Publish").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.get_by_role("button", name="Train")).to_be_visible(timeout=LIMIT_MS)


def _train(page: Page) -> None:
    page.get_by_role("button", name="Train").click()
    page.get_by_label("Algorithm").click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text="Mean colours").first.click()
    page.get_by_role("button", name="Start training").click()
    expect(page.locator("h1").get_by_text("Completed")).to_be_visible(timeout=LIMIT_MS)


def _deploy(page: Page) -> None:
    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name of the service")).to_have_value("colours")
    dialog.get_by_role("button", name="Deploy").click()
    expect(page).to_have_url(re.compile(r"/services/colours$"))
    expect(page.locator("h1").get_by_text("Serving")).to_be_visible(timeout=LIMIT_MS)


def _call(page: Page) -> None:
    page.get_by_role("tab", name="Test").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "unseen.png", "mimeType": "image/png", "buffer": picture("green", 90)}
    )
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("list", name="What it found")).to_contain_text("green")


def _annotate_from_the_service(visitor: Any, rest: Rest, version: Version) -> None:
    page: Page = visitor.go(f"/p/{version.project}/datasets/colours/versions/1")
    page.get_by_role("button", name="More").last.click()
    page.get_by_role("menuitem", name="New version from this one").click()
    page.get_by_role("dialog").get_by_role("button", name="Create draft").click()
    page.get_by_role("link", name="Version 2").click()
    page.get_by_role("button", name="Auto-annotate").click()
    page.get_by_role("radio", name=re.compile("^Online service")).check()
    page.get_by_role("combobox", name="Online service").click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text="colours").first.click()
    # Its labels are known before it is asked, and are the dataset's own.
    expect(page.get_by_role("row", name=re.compile("^green"))).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("9 items wait to be decided")).to_be_visible(timeout=LIMIT_MS)
    states = rest.call("get", f"/projects/{version.project}/datasets/colours/versions/2")["states"]
    assert (states["labelled"], states["suggested"]) == (len(LABELS) * FEW, len(LABELS) * REST)
    draft = Version(rest, version.project, "colours", 2)
    for seq in range(1, len(LABELS) * (FEW + REST) + 1):
        item = draft.item(seq)
        if item["state"] == "suggested":
            [proposed] = item["annotations"]
            assert proposed["source"] == "colours"
            assert LABELS[proposed["label"] - 1] in item["path"]


def _see_where_it_came_from(visitor: Any, project: str) -> None:
    page: Page = visitor.go(f"/p/{project}/services/colours?tab=lineage")
    lists = page.get_by_role("tabpanel")
    expect(lists.get_by_text("annotated by admin")).to_be_visible()
    expect(lists.get_by_text(re.compile("made by run"))).to_be_visible()
    lists.get_by_role("listitem").filter(has_text="annotated by admin").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/datasets/colours/versions/1"))

    visitor.go(f"/p/{project}/datasets/colours/versions/1?tab=lineage")
    service = page.get_by_role("listitem").filter(has_text="Online service").get_by_role("link")
    service.click()
    expect(page).to_have_url(re.compile(r"/services/colours"))
