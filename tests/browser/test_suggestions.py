"""What a model proposes: decided one by one by keyboard, many at once by how sure it was, and taken back."""

import re
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.annotating import Hand, Version, make_version
from tests.browser.annotating import picture as scene
from tests.browser.conftest import Rest
from tests.live import ADMIN_PASSWORD
from tests.models.colours import model_files, picture

LIMIT_S = 90


def annotate(version: Version, model: str, threshold: float) -> dict[str, Any]:
    """Has the model look at the draft; the work when it has ended."""
    body = {"source": {"type": "model", "model": model}, "threshold": threshold}
    work = version.rest.call("post", f"{version.path}/auto", body)
    deadline = time.monotonic() + LIMIT_S
    while work["state"] in {"waiting", "running"}:
        assert time.monotonic() < deadline, work
        time.sleep(0.2)
        work = version.rest.call("get", f"{version.path}/auto/{work['id']}")
    assert work["state"] == "done", work
    return dict(work)


def states(version: Version) -> dict[str, int]:
    found: dict[str, int] = version.rest.call("get", version.path)["states"]
    return {state: count for state, count in found.items() if count}


@pytest.fixture
def colours(rest: Rest, project: str) -> Version:
    """Pictures of colours; a real model is sure of four, and of the grey one hardly at all."""
    names = ["red", "green", "blue", "red", "grey"]
    files = {f"{number}.png": picture(colour, number) for number, colour in enumerate(names)}
    version = make_version(
        rest, project, "classification", files, labels=[{"name": n} for n in ("Red", "green", "blue")]
    )
    rest.version(project, "models", "colours", model_files())
    work = annotate(version, "colours@1", threshold=0.1)
    assert work["counts"]["suggested"] == 5
    return version


def test_suggestions_are_decided_by_keyboard_the_least_certain_first(visit: Any, colours: Version) -> None:
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page: Page = visitor.go(f"/p/{colours.project}/datasets/classification/versions/1?tab=auto")
    expect(page.get_by_text("5 items wait to be decided")).to_be_visible()
    page.get_by_role("button", name="Go through them").click()
    hand = Hand(visitor).wait()
    # Nothing but grey: the model cannot tell, and that comes first.
    expect(page).to_have_url(re.compile("item=5&?.*sort=uncertainty|sort=uncertainty.*item=5"))
    suggestions = page.get_by_role("region", name="Suggestions")
    expect(suggestions).to_contain_text("by colours@1")

    page.keyboard.press("n")
    hand.saved()
    assert colours.item(5)["state"] == "unlabelled"
    expect(page).not_to_have_url(re.compile("item=5"))
    page.keyboard.press("Enter")
    hand.saved()
    assert states(colours) == {"unlabelled": 1, "labelled": 1, "suggested": 3}
    [accepted] = [seq for seq in range(1, 5) if colours.item(seq)["state"] == "labelled"]
    [kept] = colours.annotations(accepted)
    assert kept["source"] == "colours@1"
    assert "auto" not in kept

    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    hand.saved()
    assert states(colours) == {"suggested": 5}
    [proposed] = colours.annotations(5)
    assert proposed["auto"] is True
    # Another label's key puts that one on instead.
    expect(page).to_have_url(re.compile("item=5"))
    page.keyboard.press("2")
    hand.saved()
    assert [(one["label"], "auto" in one) for one in colours.annotations(5)] == [(colours.labels[1], False)]
    assert colours.item(5)["state"] == "labelled"


def test_many_are_decided_by_how_sure_the_model_was_and_taken_back(visit: Any, colours: Version) -> None:
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page: Page = visitor.go(f"/p/{colours.project}/datasets/classification/versions/1?state=suggested&sort=uncertainty")
    expect(page.get_by_role("list", name="Items").get_by_role("listitem")).to_have_count(5)
    bar = page.get_by_role("group", name="Decide about suggestions")
    bar.get_by_role("button", name="Accept", exact=True).click()
    expect(bar.get_by_role("status")).to_contain_text("Accepted on 4 items")
    assert states(colours) == {"labelled": 4, "suggested": 1}
    bar.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("4 items are as they were")).to_be_visible()
    assert states(colours) == {"suggested": 5}

    # In the workbench those ticked are one step of the session; Ctrl-Z takes it back.
    hand = Hand(visitor).open(visitor, colours, 1)
    page.keyboard.press("g")
    page.get_by_role("button", name=re.compile("^Item 1,")).click()
    page.get_by_role("button", name=re.compile("^Item 2,")).click()
    page.keyboard.press("Enter")
    hand.saved()
    assert states(colours) == {"labelled": 2, "suggested": 3}
    page.keyboard.press("Control+z")
    hand.saved()
    assert states(colours) == {"suggested": 5}
    bar = page.get_by_role("group", name="Decide about suggestions")
    bar.get_by_role("button", name="Other ways to decide").click()
    page.get_by_role("menuitem", name="Reject all").click()
    expect(bar.get_by_role("status")).to_contain_text("Rejected on 5 items")
    assert states(colours) == {"unlabelled": 5}
    bar.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("5 items are as they were")).to_be_visible()
    assert states(colours) == {"suggested": 5}


def test_shapes_are_accepted_moved_and_rejected_one_by_one(visit: Any, rest: Rest, project: str) -> None:
    version = make_version(rest, project, "detection", {f"{n}.png": scene(n) for n in (1, 2)})
    box = {"type": "box", "label": version.labels[0], "w": 100, "h": 80, "auto": True, "source": "boats@1"}
    places = [(100, 100, 0.9), (300, 100, 0.6), (300, 300, 0.4)]
    proposed = [{**box, "id": str(n), "x": x, "y": y, "score": score} for n, (x, y, score) in enumerate(places)]
    rest.call(
        "put", f"{version.path}/items/1/annotations", {"base": None, "annotations": proposed, "state": "suggested"}
    )
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    hand = Hand(visitor).open(visitor, version)
    page = hand.page
    objects = page.get_by_role("region", name="Annotations")
    expect(objects.get_by_text("60%")).to_be_visible()

    objects.get_by_role("button", name="Accept boat").first.click()
    hand.saved()
    assert [one.get("auto") for one in version.annotations()] == [None, True, True]
    assert version.item()["state"] == "suggested"
    # What is moved by hand is nobody's guess any more.
    hand.tool("Choose and edit")
    hand.drag((350, 140), (370, 150))
    hand.saved()
    assert [one.get("auto") for one in version.annotations()] == [None, None, True]
    page.keyboard.press(".")
    page.keyboard.press("n")
    hand.saved()
    assert [one["id"] for one in version.annotations()] == ["0", "1"]
    assert version.item()["state"] == "labelled"
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Accept what is chosen, or the whole item")
