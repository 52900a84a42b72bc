"""Annotations follow their picture: laws that hold for every annotation, and pixels as the judge."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tidemill.geometry import changes, polygons, rle
from tidemill.geometry.changes import Crop, Mirror, Resize, Rotate, apply
from tidemill.geometry.measure import area, bounds, corners

W, H = 60, 40
X, Y = st.integers(0, W).map(float), st.integers(0, H).map(float)
PAIRS = {"person": [[0, 1]]}


def _box(draw: st.DrawFn) -> dict[str, Any]:
    x, y = draw(st.integers(0, W - 2)), draw(st.integers(0, H - 2))
    w, h = draw(st.integers(1, W - x)), draw(st.integers(1, H - y))
    return {"x": float(x), "y": float(y), "w": float(w), "h": float(h)}


@st.composite
def annotations(draw: st.DrawFn, kinds: tuple[str, ...] = ("box", "turned", "polygon", "mask", "keypoints", "polyline",
                                                          "point", "circle", "class")) -> dict[str, Any]:  # fmt: skip
    kind = draw(st.sampled_from(kinds))
    base = {"id": "1", "label": "person"}
    flat = st.lists(st.tuples(X, Y), min_size=3, max_size=6, unique=True).map(lambda p: [v for xy in p for v in xy])
    match kind:
        case "box":
            return base | {"type": "box"} | _box(draw)
        case "turned":
            return base | {"type": "box", "angle": float(draw(st.integers(1, 359)))} | _box(draw)
        case "polygon":
            return base | {"type": "polygon", "rings": draw(st.lists(flat, min_size=1, max_size=2))}
        case "mask":
            bits = draw(st.integers(1, (1 << 20) - 1))
            small = np.array([bits >> i & 1 for i in range(20)], dtype=bool).reshape(4, 5)
            mask = np.kron(small, np.ones((10, 12), dtype=bool))
            return base | {"type": "mask", "size": [H, W], "rle": rle.text_of(rle.encode(mask))}
        case "keypoints":
            points = [[draw(X), draw(Y), draw(st.sampled_from([0, 1, 2]))] for _ in range(3)]
            return base | {"type": "keypoints", "points": [p if p[2] else [0, 0, 0] for p in points]} | _box(draw)
        case "polyline":
            return base | {"type": "polyline", "points": draw(flat)}
        case "point":
            return base | {"type": "point", "x": draw(X), "y": draw(Y)}
        case "circle":
            return base | {"type": "circle", "x": draw(X), "y": draw(Y), "r": float(draw(st.integers(1, 9)))}
        case _:
            return base | {"type": "class"}


def same(a: Any, b: Any) -> bool:
    """Equal up to rounding; angles up to whole turns."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a == pytest.approx(b, abs=1e-6) if isinstance(a, float) else a == b


def chain(annotation: dict[str, Any], *steps: changes.Change) -> tuple[dict[str, Any], tuple[int, int]]:
    found, size = [annotation], (W, H)
    for step in steps:
        found, size, gone = apply(step, found, size, PAIRS)
        assert gone == 0
    return found[0], size


@given(annotations())
def test_four_quarter_turns_change_nothing(annotation: dict[str, Any]) -> None:
    assert same(chain(annotation, *[Rotate(1)] * 4)[0], annotation)


@given(annotations())
def test_a_quarter_back_undoes_a_quarter(annotation: dict[str, Any]) -> None:
    turned, size = chain(annotation, Rotate(1))
    assert size == (H, W)
    assert same(apply(Rotate(3), [turned], size)[0][0], annotation)


@given(annotations(), st.sampled_from(["horizontal", "vertical"]))
def test_two_mirrors_change_nothing(annotation: dict[str, Any], axis: Any) -> None:
    assert same(chain(annotation, Mirror(axis), Mirror(axis))[0], annotation)


@given(annotations())
def test_both_mirrors_are_half_a_turn(annotation: dict[str, Any]) -> None:
    assume(annotation["type"] != "keypoints")
    mirrored = chain(annotation, Mirror("horizontal"), Mirror("vertical"))[0]
    turned = chain(annotation, Rotate(2))[0]
    if annotation.get("angle"):
        # The corners are the same, whichever of the two equal ways they are written.
        assert same(sorted(corners(mirrored)), sorted(corners(turned)))
    else:
        assert same(mirrored, turned)


@given(annotations(), st.integers(1, 4))
def test_resizing_up_and_back_changes_nothing(annotation: dict[str, Any], times: int) -> None:
    larger, size = chain(annotation, Resize(W * times, H * times))
    assert same(apply(Resize(W, H), [larger], size)[0][0], annotation)
    assert area(larger) == pytest.approx(area(annotation) * times**2)


@given(annotations())
def test_cropping_to_the_whole_picture_changes_nothing(annotation: dict[str, Any]) -> None:
    assume(annotation["type"] != "box" or "angle" not in annotation)
    kept, _, gone = apply(Crop(0, 0, W, H), [annotation], (W, H))
    if annotation["type"] == "keypoints" and not any(v for *_, v in annotation["points"]):
        assert gone == 1
    elif area(annotation) or annotation["type"] in {"point", "circle", "class"}:
        assert same(kept[0], annotation)


@given(annotations(("box", "polygon", "mask", "keypoints", "polyline", "point")), st.data())
def test_what_a_crop_leaves_is_inside_the_window(annotation: dict[str, Any], data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, W - 2)), data.draw(st.integers(0, H - 2))
    w, h = data.draw(st.integers(1, W - x)), data.draw(st.integers(1, H - y))
    kept, size, gone = apply(Crop(x, y, w, h), [annotation], (W, H))
    assert size == (w, h)
    assert gone == (not kept)
    for part in kept:
        found = bounds(part)
        assert found is not None
        assert found[0] >= -1e-6
        assert found[1] >= -1e-6
        assert found[0] + found[2] <= w + 1e-6
        assert found[1] + found[3] <= h + 1e-6


@given(annotations(("mask",)), st.data())
def test_a_cropped_mask_has_the_windows_pixels(annotation: dict[str, Any], data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, W - 2)), data.draw(st.integers(0, H - 2))
    w, h = data.draw(st.integers(1, W - x)), data.draw(st.integers(1, H - y))
    whole = rle.decode(rle.counts_of(annotation["rle"]), H, W)
    kept, _, _ = apply(Crop(x, y, w, h), [annotation], (W, H))
    part = rle.decode(rle.counts_of(kept[0]["rle"]), h, w) if kept else np.zeros((h, w), dtype=bool)
    assert (part == whole[y : y + h, x : x + w]).all()


@given(
    annotations(("box",)), st.sampled_from([Rotate(1), Rotate(2), Rotate(3), Mirror("horizontal"), Mirror("vertical")])
)
def test_boxes_and_masks_of_the_same_pixels_stay_so(box: dict[str, Any], change: changes.Change) -> None:
    mask = polygons.fill([corners(box)], [], H, W)
    twin = {"type": "mask", "size": [H, W], "rle": rle.text_of(rle.encode(mask))}
    moved, _, _ = apply(change, [box, twin], (W, H))
    assert bounds(moved[0]) == pytest.approx(bounds(moved[1]))


def test_a_mirror_swaps_left_and_right_keypoints() -> None:
    person = {"type": "keypoints", "label": "person", "points": [[10.0, 5.0, 2], [20.0, 5.0, 2], [15.0, 9.0, 2]]}
    moved, _, _ = apply(Mirror("horizontal"), [person], (W, H), PAIRS)
    assert moved[0]["points"] == [[40.0, 5.0, 2], [50.0, 5.0, 2], [45.0, 9.0, 2]]


def test_an_annotation_of_which_too_little_is_left_goes() -> None:
    box = {"type": "box", "label": "cat", "x": 0.0, "y": 0.0, "w": 20.0, "h": 10.0}
    assert apply(Crop(18, 0, 30, 30, keep=0.2), [box], (W, H))[2] == 1
    kept, _, gone = apply(Crop(10, 0, 30, 30, keep=0.2), [box], (W, H))
    assert gone == 0
    assert kept == [box | {"w": 10.0, "truncated": True}]


def test_a_line_that_leaves_and_returns_becomes_two() -> None:
    line = {"id": "a", "type": "polyline", "label": "road", "points": [5.0, 5.0, 5.0, 30.0, 9.0, 30.0, 9.0, 5.0]}
    kept, _, _ = apply(Crop(0, 0, 20, 20), [line], (W, H))
    assert [part["points"] for part in kept] == [[5.0, 5.0, 5.0, 20.0], [9.0, 20.0, 9.0, 5.0]]
    assert [part.get("id") for part in kept] == ["a", None]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_putting_upright_agrees_with_pillow(orientation: int) -> None:
    from PIL import Image, ImageOps

    stored = np.zeros((H, W), dtype=np.uint8)
    stored[5:12, 30:50] = 255
    picture = Image.fromarray(stored)
    picture.getexif()[0x0112] = orientation
    shown = np.asarray(ImageOps.exif_transpose(picture))
    found, size = [{"type": "box", "label": "cat", "x": 30.0, "y": 5.0, "w": 20.0, "h": 7.0}], (W, H)
    for step in changes.upright(orientation):
        found, size, _ = apply(step, found, size)
    assert size == (shown.shape[1], shown.shape[0])
    assert bounds(found[0]) == rle.bounds(rle.encode(shown), shown.shape[0])
