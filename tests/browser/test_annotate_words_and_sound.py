"""The workbench for whole items, texts and sound."""

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.annotating import Hand, make_version, picture, sound
from tests.browser.conftest import NARROW, Rest, serious_violations
from tests.live import ADMIN_PASSWORD


def open_(visit: Any, version: Any, **look: Any) -> Hand:
    visitor = visit(**look)
    visitor.sign_in("admin", ADMIN_PASSWORD)
    return Hand(visitor).open(visitor, version)


def classes(version: Any, seq: int = 1) -> list[int]:
    return [version.labels.index(one["label"]) for one in version.annotations(seq) if one["type"] == "class"]


def test_pictures_are_classified_one_by_one_and_many_at_once(visit: Any, rest: Rest, project: str) -> None:
    version = make_version(rest, project, "classification", {f"{n}.png": picture(n, 64, 48) for n in range(1, 6)})
    hand = open_(visit, version)
    page = hand.page
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.reload()
    hand.wait()
    hand.saved()
    assert classes(version) == [1], "one label only"
    page.keyboard.press("g")
    items = page.get_by_role("list", name="Items").get_by_role("button")
    items.nth(1).click()
    items.nth(3).click(modifiers=["Shift"])
    page.keyboard.press("1")
    hand.saved()
    assert [classes(version, n) for n in (2, 3, 4, 5)] == [[0], [0], [0], []]
    page.keyboard.press("Control+z")
    hand.saved()
    assert [classes(version, n) for n in (2, 3, 4)] == [[], [], []]


def test_several_labels_at_a_narrow_window(visit: Any, rest: Rest, project: str) -> None:
    version = make_version(
        rest, project, "multi-classification", {"1.png": picture(1, 64, 48), "2.png": picture(2, 64, 48)}
    )
    hand = open_(visit, version, size=NARROW)
    page = hand.page
    page.get_by_role("button", name="boat").click()
    page.get_by_role("button", name="buoy").click()
    page.get_by_role("button", name="Done, next").click()
    expect(page).to_have_url(re.compile("item=2$"))
    hand.saved()
    assert classes(version) == [0, 1]
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert serious_violations(page) == []


def test_texts_are_classified_also_without_a_network(visit: Any, rest: Rest, project: str) -> None:
    files = {"1.txt": "潮水涨了".encode(), "2.txt": b"The tide is out"}
    version = make_version(rest, project, "text-classification", files)
    hand = open_(visit, version)
    page = hand.page
    expect(page.get_by_test_id("text")).to_have_text("潮水涨了")
    page.context.set_offline(True)
    page.keyboard.press("2")
    expect(page.locator("[data-testid=save-state][data-kind=offline]")).to_be_visible()
    page.context.set_offline(False)
    hand.saved()
    assert classes(version) == [1]
    page.keyboard.press("Control+z")
    hand.saved()
    assert classes(version) == []
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("text")).to_have_text("The tide is out")


def test_sound_is_classified(visit: Any, rest: Rest, project: str) -> None:
    version = make_version(rest, project, "audio-classification", {"1.wav": sound(0.5), "2.wav": sound(1)})
    hand = open_(visit, version)
    expect(hand.page.get_by_test_id("waveform")).to_be_visible()
    hand.page.keyboard.press("2")
    hand.page.reload()
    hand.wait()
    hand.saved()
    assert classes(version) == [1]


def test_sound_is_cut_into_segments_and_transcribed(visit: Any, rest: Rest, project: str) -> None:
    version = make_version(rest, project, "audio-transcription", {"1.wav": sound(2), "2.wav": sound(1)})
    hand = open_(visit, version)
    page = hand.page
    wave = page.get_by_test_id("waveform")
    expect(wave).to_be_visible()
    box = wave.bounding_box()
    assert box is not None

    def drag(start: float, end: float) -> None:
        page.mouse.move(box["x"] + box["width"] * start, box["y"] + 80)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * end, box["y"] + 80, steps=4)
        page.mouse.up()

    drag(0.25, 0.5)
    field = page.get_by_role("textbox", name="Text")
    expect(field).to_be_focused()
    page.keyboard.type("high tide")
    page.reload()
    hand.wait()
    expect(page.get_by_role("textbox", name="Text")).to_have_value("high tide")
    hand.saved()
    [segment] = version.annotations()
    assert segment["text"] == "high tide"
    assert abs(segment["start"] - 0.5) < 0.02
    assert abs(segment["end"] - 1.0) < 0.02
    expect(wave).to_be_visible()
    drag(0.5, 0.75)
    hand.saved()
    assert abs(version.annotations()[0]["end"] - 1.5) < 0.03
    page.keyboard.press("Control+z")
    hand.saved()
    assert abs(version.annotations()[0]["end"] - 1.0) < 0.03
