"""From a labelled dataset to a measured model in the browser: what is chosen and why, mistakes, comparison."""

import json
import re
import time
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.annotating import Version, make_version
from tests.browser.conftest import NARROW, Rest, serious_violations
from tests.models.colours import LABELS, model_files, picture

WORK_LIMIT_MS = 120_000
MANIFEST = {
    "manifest": 1,
    "task": "image-classification",
    "title": {"en": "Tide colours", "zh-CN": "潮色"},
    "functions": {"train": {"command": "python tide.py"}},
    "parameters": [
        {
            "name": "epochs",
            "type": "int",
            "default": 7,
            "min": 1,
            "max": 50,
            "title": {"en": "Rounds", "zh-CN": "轮数"},
            "help": {"en": "How often.", "zh-CN": "次数。"},
        }
    ],
    "metrics": [],
    "primary": None,
}


def test_a_model_is_measured_looked_at_and_compared(visit: Any, rest: Rest, project: str) -> None:
    _published(rest, project)
    rest.version(project, "models", "sharp", model_files(sharpness=8.0))
    # The last two labels the other way round: it is wrong where the other is right.
    rest.version(project, "models", "mixed", model_files(("red", "blue", "green"), sharpness=4.0))
    # What a version says of itself is read in the background; asking for it reads it now.
    rest.call("get", f"/projects/{project}/models/mixed/versions/1/facts")
    visitor = visit()
    visitor.sign_in(rest.user(f"judge-{project}", project))

    page = visitor.go(f"/p/{project}/models/sharp?tab=overview")
    expect(page.get_by_role("heading", name="3 labels")).to_be_visible()
    page.get_by_role("button", name="Evaluate").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Start").click()
    expect(dialog.get_by_text("Choose a dataset.")).to_be_visible()
    _choose(page, dialog.get_by_label("Dataset version"), "classification")
    _choose(page, dialog.get_by_label("Models"), "mixed@1")
    dialog.get_by_text("All labelled items").click()
    for model in ("sharp@1", "mixed@1"):
        expect(dialog.locator("pre")).to_contain_text(f"tidemill evaluate {model} classification --part all")
    dialog.get_by_role("button", name="Start").click()

    # Two were started: their list shows how they end, without being asked to.
    rows = page.get_by_role("row").filter(has_text="Done")
    _wait_for_evaluations(rest, project, 2)
    expect(rows).to_have_count(2)
    expect(page.get_by_role("row").filter(has_text="sharp@1")).to_contain_text("Accuracy 90%")
    page.get_by_role("link", name="sharp@1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("sharp@1 on classification@1")
    _look_at_mistakes(page)

    page.goto(f"{visitor.url}/p/{project}/evaluations")
    expect(rows).to_have_count(2)
    for box in page.get_by_role("checkbox").all()[1:]:
        box.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare models")
    accuracy = page.get_by_role("row").filter(has_text="Accuracy").first
    expect(accuracy.get_by_label("Best")).to_have_count(1)
    expect(page.get_by_role("heading", name="Where they differ most")).to_be_visible()
    assert serious_violations(page) == []


def _wait_for_evaluations(rest: Rest, project: str, count: int) -> None:
    """Until so many are done, as the server says."""
    until = time.monotonic() + WORK_LIMIT_MS / 1_000
    while True:
        states = [row["state"] for row in rest.call("get", f"/projects/{project}/evaluations")["items"]]
        if states == ["done"] * count:
            return
        assert time.monotonic() < until, f"{count} evaluations were to be done: {states}"
        time.sleep(0.5)


def _look_at_mistakes(page: Page) -> None:
    """The threshold moves the numbers, the matrix leads to the one wrong picture, and that to its item."""
    threshold = page.get_by_label("Confidence threshold").last
    threshold.fill("1")
    threshold.press("Enter")
    expect(page.locator("dl").filter(has=page.get_by_text("Recall", exact=True)).last).to_contain_text("0%")
    page.get_by_role("columnheader", name="Precision", exact=True).click()
    assert serious_violations(page) == []

    page.get_by_role("tab", name="Confusion matrix").click()
    page.get_by_role("button", name=re.compile("^red predicted as red")).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name=re.compile("^red predicted as blue: 1,"))).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_role("tab", name="Worst examples")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("1 example", exact=True)).to_be_visible()
    page.get_by_role("button", name="Look at blue-0.png").click()
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("Wrong class")
    expect(drawer.get_by_role("img", name="blue-0.png")).to_be_visible()
    drawer.get_by_role("link", name="Open the item in the dataset").click()
    expect(page).to_have_url(re.compile(r"/datasets/classification/versions/1\?item="))


def test_training_from_a_dataset_says_what_is_chosen_and_takes_what_is_wanted(
    visit: Any, rest: Rest, project: str
) -> None:
    version = _published(rest, project, each=3)
    _algorithm(rest, project)
    visitor = visit(size=NARROW, dark=True)
    visitor.sign_in(rest.user(f"teach-{project}", project))
    page = visitor.go(f"/p/{project}/datasets/classification/versions/{version.number}")
    page.get_by_role("button", name="Train").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Train from classification@1")
    _choose(page, page.get_by_label("Algorithm"), "Tide colours")
    expect(page.get_by_role("row", name=re.compile("^Rounds 7"))).to_be_visible()

    page.get_by_text("Every parameter", exact=True).click()
    rounds = page.get_by_label("Rounds")
    rounds.fill("99")
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("At most 50.")).to_be_visible()
    rounds.fill("9")
    expect(page.locator("pre")).to_contain_text("--set epochs=9")
    assert serious_violations(page) == []
    page.get_by_role("button", name="Start training").click()

    expect(page).to_have_url(re.compile(r"/training/tasks/[^/]+/runs/[^/]+$"))
    expect(page.get_by_role("heading", name="Training from a dataset")).to_be_visible()
    page.get_by_role("button", name="What was chosen, and why").click()
    expect(page.get_by_role("row", name=re.compile("^epochs 9"))).to_be_visible()


def test_an_algorithm_with_a_manifest_brings_its_own_form_to_a_task(visit: Any, rest: Rest, project: str) -> None:
    _algorithm(rest, project)
    visitor = visit()
    visitor.sign_in(rest.user(f"task-{project}", project))
    page = visitor.go(f"/p/{project}/training/new")
    page.get_by_label("Name", exact=True).fill("colours")
    _choose(page, page.get_by_label("Algorithm"), "tide-colours")
    expect(page.get_by_label("Rounds")).to_have_value("7")
    expect(page.get_by_label("Command", exact=True).last).to_have_value("python tide.py")
    page.get_by_label("Rounds").fill("3")
    expect(page.locator("pre")).to_contain_text("--set epochs=3")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("colours")
    task = rest.call("get", f"/projects/{project}/tasks/colours")
    assert (task["parameters"], task["command"]) == ({"epochs": 3}, "python tide.py")


def _published(rest: Rest, project: str, each: int = 3) -> Version:
    """Pictures of three colours, one of them under a wrong label, published."""
    colours = [("blue", "red"), *[(colour, colour) for colour in LABELS for _ in range(each)]]
    files = {f"{colour}-{at}.png": picture(colour, at) for at, (colour, _) in enumerate(colours)}
    places = {label: at + 1 for at, label in enumerate(LABELS)}
    marks = {
        f"{colour}-{at}.png": {"annotations": [{"id": "1", "type": "class", "label": places[label]}]}
        for at, (colour, label) in enumerate(colours)
    }
    labels = [{"name": label} for label in LABELS]
    version = make_version(rest, project, "classification", files, labels=labels, items=marks)
    rest.call("post", f"{version.path}/publish", {})
    end = time.monotonic() + WORK_LIMIT_MS / 1000
    while rest.call("get", version.path)["work"] != "published":
        assert time.monotonic() < end, "the version was not published in time"
        time.sleep(0.05)
    return version


def _algorithm(rest: Rest, project: str) -> None:
    """One that says what it takes."""
    files = {"algorithm.json": json.dumps(MANIFEST).encode(), "tide.py": b"print('hello')\n"}
    rest.version(project, "algorithms", "tide-colours", files)
    rest.call("get", f"/projects/{project}/algorithms/tide-colours/versions/1/algorithm-manifest")


def _choose(page: Page, field: Any, name: str) -> None:
    """From a select that searches."""
    field.click()
    page.locator(".ant-select-dropdown:visible .ant-select-item-option", has_text=name).first.click()
