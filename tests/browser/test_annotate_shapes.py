"""The workbench for pictures: everything that can be drawn, edited, undone, and is there after a reload."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.annotating import HAND, Hand, Version, make_version, picture
from tests.browser.conftest import Rest
from tests.live import ADMIN_PASSWORD


@pytest.fixture
def start(visit: Any, rest: Rest, project: str) -> Any:
    """`start(kind, **more)`: a version of that type with three pictures, open at the first."""

    def make(kind: str, **more: Any) -> tuple[Version, Hand]:
        files = {f"{n}.png": picture(n) for n in (1, 2, 3)}
        version = make_version(rest, project, kind, files, **more)
        visitor = visit()
        visitor.sign_in("admin", ADMIN_PASSWORD)
        return version, Hand(visitor).open(visitor, version)

    return make


def test_a_box_is_drawn_moved_stretched_and_turned(start: Any) -> None:
    version, hand = start("detection")
    hand.drag((100, 100), (300, 250))
    hand.saved()
    [box] = version.annotations()
    assert box["type"] == "box"
    assert box["label"] == version.labels[0]
    assert [round(box[k]) for k in "xywh"] == [100, 100, 200, 150]

    hand.tool("Choose and edit")
    hand.drag((200, 175), (240, 195))
    hand.saved()
    assert [round(version.annotations()[0][k]) for k in "xywh"] == [140, 120, 200, 150]
    hand.drag((340, 270), (380, 300))
    hand.saved()
    assert [round(version.annotations()[0][k]) for k in "xywh"] == [140, 120, 240, 180]
    unit = hand.page.evaluate("1 / document.querySelector('[data-testid=canvas]').stage.view.scale")
    hand.drag((260, 120 - 26 * unit), (460, 210))
    hand.saved()
    assert 85 < version.annotations()[0]["angle"] < 95

    for _ in range(4):
        hand.page.keyboard.press("Control+z")
    hand.saved()
    assert version.annotations() == []
    hand.page.keyboard.press("Control+Shift+z")
    hand.saved()
    assert [round(version.annotations()[0][k]) for k in "xywh"] == [100, 100, 200, 150]
    hand.page.reload()
    hand.wait()
    expect(hand.page.get_by_role("button", name="Delete boat")).to_have_count(1)


def test_a_turned_box_takes_three_clicks(start: Any) -> None:
    version, hand = start("detection")
    hand.tool("Rotated box")
    for x, y in ((200, 200), (300, 300), (250, 350)):
        hand.click(x, y)
    hand.saved()
    [box] = version.annotations()
    assert round(box["angle"]) == 45
    assert round(box["w"]) == 141
    assert round(box["h"]) == 71


def test_a_polygon_gets_a_hole_and_survives_a_reload_half_drawn(start: Any) -> None:
    version, hand = start("segmentation")
    for x, y in ((100, 100), (400, 100), (400, 350)):
        hand.click(x, y)
    hand.page.reload()
    hand.wait()
    hand.click(100, 350)
    hand.page.keyboard.press("Enter")
    hand.saved()
    [polygon] = version.annotations()
    assert [round(v) for v in polygon["rings"][0]] == [100, 100, 400, 100, 400, 350, 100, 350]

    hand.page.keyboard.down("Alt")
    hand.click(200, 180)
    hand.page.keyboard.up("Alt")
    hand.click(300, 180)
    hand.click(250, 260)
    hand.page.keyboard.press("Enter")
    hand.saved()
    [polygon] = version.annotations()
    assert len(polygon["rings"]) == 2
    assert polygon["holes"] == [1]

    hand.tool("Choose and edit")
    hand.drag((100, 100), (60, 60))
    hand.saved()
    assert [round(v) for v in version.annotations()[0]["rings"][0][:2]] == [60, 60]
    hand.page.keyboard.press("Control+z")
    hand.page.keyboard.press("Control+z")
    hand.saved()
    assert "holes" not in version.annotations()[0]


def test_the_brush_paints_a_mask_and_the_eraser_takes_from_it(start: Any) -> None:
    version, hand = start("segmentation")
    hand.tool("Brush")
    hand.drag((150, 200), (400, 200))
    hand.saved()
    [mask] = version.annotations()
    assert mask["type"] == "mask"
    assert mask["size"] == [480, 640]
    before = _area(mask["rle"])
    assert before > 250 * 20
    hand.drag((150, 260), (400, 260))
    hand.saved()
    assert len(version.annotations()) == 1, "the brush goes on with the chosen mask"
    assert _area(version.annotations()[0]["rle"]) > before * 1.8
    hand.tool("Eraser")
    hand.drag((150, 260), (400, 260))
    hand.saved()
    assert abs(_area(version.annotations()[0]["rle"]) - before) < before * 0.05
    hand.page.keyboard.press("Control+z")
    hand.saved()
    assert _area(version.annotations()[0]["rle"]) > before * 1.8


def _area(rle: str) -> int:
    from tidemill.datasets.annotations import area_of

    return round(area_of({"type": "mask", "rle": rle}) or 0)


def test_keypoints_follow_the_skeleton(start: Any) -> None:
    version, hand = start("keypoints", labels=[{"name": "hand", "skeleton": HAND}])
    hand.click(200, 200)
    hand.page.keyboard.down("Alt")
    hand.click(300, 150)
    hand.page.keyboard.up("Alt")
    hand.page.keyboard.press("x")
    hand.saved()
    [points] = version.annotations()
    assert [p[2] for p in points["points"]] == [2, 1, 0]
    hand.tool("Choose and edit")
    hand.drag((200, 200), (220, 240))
    hand.saved()
    assert [round(v) for v in version.annotations()[0]["points"][0]] == [220, 240, 2]
    hand.page.keyboard.press("Control+z")
    hand.saved()
    assert [round(v) for v in version.annotations()[0]["points"][0]] == [200, 200, 2]


def test_text_boxes_have_text_and_reading_order(start: Any) -> None:
    version, hand = start("ocr", labels=[{"name": "text"}])
    hand.drag((50, 50), (250, 90))
    field = hand.page.get_by_role("textbox", name="Text 1")
    expect(field).to_be_focused()
    hand.page.keyboard.type("潮汐 Tide")
    hand.page.keyboard.press("Enter")
    hand.drag((50, 120), (250, 160))
    hand.page.keyboard.type("second")
    hand.page.reload()
    hand.wait()
    expect(hand.page.get_by_role("textbox", name="Text 2")).to_have_value("second")
    hand.saved()
    assert [(one["order"], one["text"]) for one in version.annotations()] == [(1, "潮汐 Tide"), (2, "second")]
    hand.page.get_by_role("button", name="Read text later").click()
    hand.saved()
    assert [(one["order"], one["text"]) for one in version.annotations()] == [(2, "潮汐 Tide"), (1, "second")]


def test_a_click_finds_the_outline_and_a_rough_box_is_fitted(start: Any) -> None:
    version, hand = start("segmentation")
    hand.tool("Click to segment")
    hand.click(300, 260)
    hand.ready()
    hand.page.keyboard.press("Enter")
    hand.saved()
    [found] = version.annotations()
    xs, ys = found["rings"][0][::2], found["rings"][0][1::2]
    # The thing is an ellipse from 199 to 391 and 168 to 336.
    assert abs(min(xs) - 199) < 5
    assert abs(max(xs) - 391) < 5
    assert abs(min(ys) - 168) < 5
    assert abs(max(ys) - 336) < 5

    hand.tool("Box")
    hand.drag((170, 140), (430, 370))
    hand.page.keyboard.press("Shift+F")
    hand.ready()
    hand.saved()
    box = version.annotations()[1]
    assert abs(box["x"] - 199) < 6
    assert abs(box["w"] - 192) < 10


def test_copies_order_hiding_locking_and_labels(start: Any) -> None:
    version, hand = start(
        "detection", labels=[{"name": "ship"}, {"name": "tug", "parent_name": "ship"}, {"name": "buoy"}]
    )
    hand.drag((50, 50), (150, 150))
    page = hand.page
    page.keyboard.press("2")
    page.keyboard.press("Control+c")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("item=2$"))
    page.keyboard.press("Control+v")
    hand.saved()
    assert [one["label"] for one in version.annotations(1)] == [version.labels[2]]
    assert [one["label"] for one in version.annotations(2)] == [version.labels[2]]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+C")
    hand.saved()
    assert len(version.annotations(3)) == 1
    page.get_by_role("button", name="Lock buoy").click()
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Unlock buoy").click()
    hand.tool("Box")
    hand.drag((300, 300), (400, 400))
    page.keyboard.press("End")
    hand.saved()
    assert [round(one["x"]) for one in version.annotations(3)] == [300, 50]
    page.keyboard.press("h")
    expect(page.get_by_role("button", name="Show buoy")).to_have_count(1)
    # Undo goes back through items.
    for _ in range(4):
        page.keyboard.press("Control+z")
    expect(page).to_have_url(re.compile("item=2$"))
    hand.saved()
    assert version.annotations(2) == []


def test_frames_between_two_key_boxes_are_computed(start: Any) -> None:
    version, hand = start("video", items={f"{n}.png": {"info": {"video": "a.mp4", "frame": n}} for n in (1, 2, 3)})
    hand.drag((100, 100), (200, 200))
    page = hand.page
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("item=3$"))
    hand.saved()
    # Drawn on the first frame, gone on with on the last: copied there, then moved.
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+C")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+C")
    hand.tool("Choose and edit")
    hand.drag((150, 150), (250, 150))
    hand.saved()
    tracks = {one["track"] for n in (1, 2, 3) for one in version.annotations(n)}
    assert len(tracks) == 1
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    hand.saved()
    expect(page.get_by_role("button", name="Delete boat")).to_have_count(1)
    hand.saved()
    [middle] = version.annotations(2)
    assert middle["auto"] is True
    assert round(middle["x"]) == 150
