"""Batch inference in the browser: from a model's page to results that are looked at, taken along and written back."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.annotating import Version, make_version
from tests.browser.conftest import NARROW, Rest, serious_violations
from tests.models.colours import model_files, picture

RUNS_LONG_MS = 60_000
COLOURS = ["red", "green", "blue", "red"]


@pytest.fixture
def colours(rest: Rest, project: str) -> Version:
    """Pictures of colours, one file that is none, and a model that knows three of them."""
    files = {f"{colour}-{number}.png": picture(colour, number) for number, colour in enumerate(COLOURS)}
    labels = [{"name": name} for name in ("red", "green", "blue")]
    version = make_version(rest, project, "classification", files, labels=labels)
    rest.version(project, "models", "colours", model_files())
    return version


def test_a_model_looks_at_a_dataset_and_what_it_found_goes_back_into_it(
    visit: Any, rest: Rest, project: str, colours: Version
) -> None:
    visitor = visit()
    visitor.sign_in(rest.user(f"look-{project}", project))
    page: Page = visitor.go(f"/p/{project}/models/colours")
    page.get_by_role("button", name="Batch inference").click()
    page.get_by_role("button", name="Create and start").click()
    expect(page.get_by_text("Choose a dataset.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("look")
    page.get_by_role("combobox", name="Dataset version").click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text="classification").first.click()
    expect(page.get_by_text("Looks at 4 items")).to_be_visible()
    expect(page.locator("pre")).to_have_text(
        "tidemill infer create look --model colours@1 --dataset classification", use_inner_text=True
    )
    page.get_by_role("button", name="Create and start").click()

    expect(page).to_have_url(re.compile(r"/inferences/look/runs/1$"))
    expect(page.locator("h1").get_by_text("Completed")).to_be_visible(timeout=RUNS_LONG_MS)
    _look_at_results(page)
    assert serious_violations(page) == []

    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("^JSON:")).click()
    assert "red-0.png" in json.dumps(json.loads(download.value.path().read_bytes()))

    page.get_by_role("button", name="Write back").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("4 items get suggestions")).to_be_visible()
    dialog.get_by_role("button", name="Write", exact=True).click()
    written = page.get_by_role("listitem").filter(has_text="Suggestions")
    expect(written).to_contain_text("4 items written", timeout=RUNS_LONG_MS)
    assert rest.call("get", colours.path)["states"]["suggested"] == len(COLOURS)
    written.get_by_role("link").click()
    expect(page.get_by_role("group", name="Decide about suggestions")).to_be_visible()


def test_what_was_found_goes_back_under_the_labels_that_were_chosen(
    visit: Any, rest: Rest, project: str, colours: Version
) -> None:
    rest.version(project, "models", "others", model_files(("Red", "greens", "mauve")))
    settings = {"form": "model", "source": {"type": "model", "model": "others@1"}, "dataset": "classification@1"}
    rest.call("post", f"/projects/{project}/inferences", {"name": "look", "settings": settings})
    rest.call("post", f"/projects/{project}/inferences/look/start", {})
    visitor = visit()
    visitor.sign_in(rest.user(f"look-{project}", project))
    page: Page = visitor.go(f"/p/{project}/inferences/look/runs/1")
    expect(page.locator("h1").get_by_text("Completed")).to_be_visible(timeout=RUNS_LONG_MS)
    page.get_by_role("button", name="Write back").click()
    dialog = page.get_by_role("dialog")
    rows = dialog.get_by_role("row")
    expect(rows.filter(has_text="Red")).to_contain_text("but for case")
    expect(rows.filter(has_text="greens")).to_contain_text("plural")
    expect(rows.filter(has_text="mauve")).to_contain_text("New label “mauve”")
    dialog.get_by_role("combobox", name="Label for mauve").click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text="blue").click()
    dialog.get_by_role("combobox", name="Label for greens").click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text="Left out").click()
    assert serious_violations(page) == []
    dialog.get_by_role("button", name="Write", exact=True).click()
    written = page.get_by_role("listitem").filter(has_text="Suggestions")
    expect(written).to_contain_text("3 items written", timeout=RUNS_LONG_MS)
    labels = rest.call("get", f"{colours.path}/labels")["items"]
    assert [one["name"] for one in labels] == ["red", "green", "blue"]
    assert rest.call("get", colours.path)["states"]["suggested"] == len(COLOURS) - 1


def _look_at_results(page: Page) -> None:
    results = page.get_by_role("list", name="Results").get_by_role("listitem")
    expect(results).to_have_count(len(COLOURS))
    page.get_by_role("combobox", name="Label").click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text="red").click()
    expect(results).to_have_count(2)
    expect(page).to_have_url(re.compile("label=red"))
    page.get_by_role("button", name="Look at red-0.png").click()
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("img", name="red-0.png")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(drawer.get_by_role("img", name="red-3.png")).to_be_visible()
    drawer.get_by_role("button", name="Close").click()
    page.get_by_title("Table").click()
    expect(page.get_by_role("row").filter(has_text="red-3.png")).to_contain_text("red")


def test_a_command_of_ones_own_runs_and_its_entry_is_copied_and_deleted(visit: Any, rest: Rest, project: str) -> None:
    settings = {"form": "code", "command": "echo high tide; echo 1 > found.txt"}
    rest.call("post", f"/projects/{project}/inferences", {"name": "own", "settings": settings})
    visitor = visit(size=NARROW, dark=True)
    visitor.sign_in(rest.user(f"own-{project}", project))
    page: Page = visitor.go(f"/p/{project}/inferences/own")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page).to_have_url(re.compile(r"/inferences/own/runs/1$"))
    expect(page.locator("h1").get_by_text("Completed")).to_be_visible(timeout=RUNS_LONG_MS)
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_role("log")).to_contain_text("high tide")
    assert serious_violations(page) == []

    visitor.go(f"/p/{project}/inferences/own")
    page.get_by_role("button", name="More").last.click()
    expect(page.get_by_role("menuitem", name="Delete")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("menuitem", name="Copy").click()
    page.get_by_role("dialog").get_by_role("button", name="Copy").click()
    expect(page.locator("h1")).to_contain_text("own-copy")
    page.get_by_role("button", name="More").last.click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile(r"/inferences$"))
    assert [one["name"] for one in rest.call("get", f"/projects/{project}/inferences")["items"]] == ["own"]
