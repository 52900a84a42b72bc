"""Preprocessing: pictures and annotations change together, in a new draft."""

import io
from typing import Any

import pytest
from PIL import Image

from tests.datasets.conftest import Desk, box, code_of
from tests.datasets.pictures import picture, plain_picture
from tests.datasets.working import Works

EVERYTHING: dict[str, Any] = {
    "drop_blurred": {"threshold": 50},
    "crop": {"x": 0, "y": 0, "w": 20, "h": 30},
    "rotate": {"degrees": 90},
    "mirror": {"horizontal": True},
    "resize": {"width": 60},
}


@pytest.fixture
def sea(desk: Desk) -> Desk:
    """Two sharp pictures, one blurred, one set aside, one that is broken."""
    boat = desk.labels("boat")[0]
    contents = {
        "a.jpg": picture(1),
        "b.png": picture(2, format="PNG"),
        "fog.png": plain_picture(),
        "old.jpg": picture(3),
    }
    for path, data in {**contents, "broken.jpg": b"\xff\xd8\xff\xe0 not whole"}.items():
        item = {"path": path, **desk.keep(data), "width": 40, "height": 30, "annotations": [box(boat, 2, 4, 10, 6)]}
        desk.ok("post", "/items/bulk", json={"items": [item]})
    desk.ok("post", "/items/state", json={"seqs": [4], "state": "aside"})
    return desk


def test_the_steps_go_into_a_new_draft_and_the_old_one_stays(works: Works, sea: Desk) -> None:
    before = sea.ok("get")
    done = works.do(sea, "preprocess", steps=EVERYTHING, note="small and turned")
    assert (done["state"], done["target_version"]) == ("done", 2)
    new = sea.version(2)
    by_path = {item["path"]: item for item in (new.item(seq) for seq in new.seqs())}
    assert set(by_path) == {"a.jpg", "b.png", "fog.png", "old.jpg"}
    assert sea.ok("get")["item_revision"] == before["item_revision"]
    assert sea.ok("get")["items"] == 5
    turned = by_path["a.jpg"]
    assert (turned["width"], turned["height"], turned["media"]) == (60, 40, "image/jpeg")
    content = new.call("get", f"/items/{turned['seq']}/content").content
    assert Image.open(io.BytesIO(content)).size == (60, 40)
    (shape,) = turned["annotations"]
    # Of 40x30 cropped to 20x30: (2,4,10,6) turned clockwise is (20,2,6,10), mirrored (4,2,6,10), twice as large.
    assert [shape[side] for side in "xywh"] == [8, 4, 12, 20]
    assert new.ok("get", "/labels")["items"][0]["name"] == "boat"
    assert [label["number"] for label in new.ok("get", "/labels")["items"]] == [1]


def test_blurred_ones_are_set_aside_and_take_no_part_in_the_rest(works: Works, sea: Desk) -> None:
    works.do(sea, "preprocess", steps=EVERYTHING)
    new = sea.version(2)
    by_path = {item["path"]: item for item in (new.item(seq) for seq in new.seqs())}
    fog = by_path["fog.png"]
    assert (fog["state"], fog["width"], fog["info"]["sharpness"]) == ("aside", 40, 0)
    assert fog["digest"] == sea.item(3)["digest"]
    assert by_path["old.jpg"]["state"] == "aside"
    assert by_path["old.jpg"]["digest"] == sea.item(4)["digest"]
    assert by_path["a.jpg"]["info"]["sharpness"] > 50


def test_what_cannot_be_decoded_is_told(works: Works, sea: Desk) -> None:
    done = works.do(sea, "preprocess", steps={"mirror": {"vertical": True}})
    notes = sea.ok("get", f"/preprocess/{done['id']}/notes")["items"]
    assert [note["path"] for note in notes] == ["broken.jpg"]
    assert done["counts"]["skipped"] == 1


@pytest.mark.parametrize(
    ("steps", "size"),
    [
        ({"resize": {"width": 20, "height": 20}}, (20, 20)),
        ({"resize": {"width": 20, "height": 20, "fit": "inside"}}, (20, 15)),
        ({"resize": {"height": 60}}, (80, 60)),
        ({"crop": {"x": 0.25, "y": 0, "w": 0.5, "h": 1, "unit": "share"}}, (20, 30)),
        ({"rotate": {"degrees": 270}}, (30, 40)),
    ],
)
def test_before_and_after_are_shown(sea: Desk, steps: dict[str, Any], size: tuple[int, int]) -> None:
    (shown,) = sea.ok("post", "/preprocess/preview", json={"steps": steps, "seqs": [1]})["items"]
    assert (shown["before"]["width"], shown["before"]["height"]) == (40, 30)
    assert (shown["after"]["width"], shown["after"]["height"]) == size
    assert shown["after"]["picture"].startswith("data:image/jpeg;base64,")
    assert shown["sharpness"] > 50


def test_a_preview_says_what_would_be_dropped_and_what_is_broken(sea: Desk) -> None:
    steps = {"drop_blurred": {"threshold": 50}, "crop": {"x": 30, "y": 0, "w": 10, "h": 30}}
    shown = {one["path"]: one for one in sea.ok("post", "/preprocess/preview", json={"steps": steps})["items"]}
    assert shown["fog.png"]["is_blurred"] is True
    assert shown["fog.png"]["after"] is None
    assert shown["a.jpg"]["lost"] == 1
    assert shown["a.jpg"]["after"]["annotations"] == []
    assert shown["broken.jpg"]["problem"]
    assert "old.jpg" not in shown


def test_preprocessing_goes_on_after_what_was_acknowledged(
    works: Works, sea: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tidemill.datasets.importing import importer

    monkeypatch.setattr(importer, "RECORDS", 2)
    begun = sea.ok("post", "/preprocess", json={"steps": {"mirror": {"horizontal": True}}})
    office = works.office(sea, begun)
    step = office.step

    def dies(body: dict[str, object]) -> int:
        step(body)
        raise ConnectionError("killed")

    monkeypatch.setattr(office, "step", dies)
    with pytest.raises(ConnectionError):
        works.run(sea, begun, office)
    done = works.run(sea, begun)
    assert (done["state"], done["counts"]["added"]) == ("done", 4)
    assert sea.version(2).ok("get")["items"] == 4


def test_steps_that_say_nothing_are_refused(sea: Desk) -> None:
    assert code_of(sea.call("post", "/preprocess", json={"steps": {}})) == "preprocess_nothing"
    assert sea.call("post", "/preprocess", json={"steps": {"resize": {}}}).status_code == 422
    texts = sea.begin("texts", data="text", kind="text-classification")
    answer = texts.call("post", "/preprocess", json={"steps": {"rotate": {"degrees": 90}}})
    assert code_of(answer) == "preprocess_pictures"
