"""Annotations follow their picture: cropped, turned by quarters, mirrored, resized, put upright.

`apply(change, annotations, size)` gives the annotations after the change, the picture's new size, and how many
annotations are no longer in it. Annotations that a crop cuts are marked `truncated`. A turned box under an uneven
resize becomes the turned box nearest to what is then a parallelogram.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tidemill.geometry import polygons, rle
from tidemill.geometry.cropping import crop
from tidemill.geometry.measure import box_of_corners, corners

Annotation = dict[str, Any]
Size = tuple[int, int]
"""Width, height."""
Flips = Mapping[Any, Sequence[Sequence[int]]]
"""By label: pairs of keypoints that change places in a mirror (left and right eye)."""


@dataclass(frozen=True, slots=True)
class Crop:
    """Keeps a window; an annotation of which less than `keep` of its area is inside goes."""

    x: int
    y: int
    w: int
    h: int
    keep: float = 0.0


@dataclass(frozen=True, slots=True)
class Rotate:
    """By quarters of a turn, clockwise."""

    quarters: int


@dataclass(frozen=True, slots=True)
class Mirror:
    """`horizontal` changes left and right, `vertical` top and bottom."""

    axis: Literal["horizontal", "vertical"]


@dataclass(frozen=True, slots=True)
class Resize:
    """To that size exactly."""

    w: int
    h: int


Change = Crop | Rotate | Mirror | Resize

_UPRIGHT: dict[int, tuple[Change, ...]] = {
    2: (Mirror("horizontal"),),
    3: (Rotate(2),),
    4: (Mirror("vertical"),),
    5: (Rotate(1), Mirror("horizontal")),
    6: (Rotate(1),),
    7: (Rotate(3), Mirror("horizontal")),
    8: (Rotate(3),),
}


def upright(orientation: int) -> tuple[Change, ...]:
    """The changes that put a picture of an EXIF orientation upright."""
    return _UPRIGHT.get(orientation, ())


def apply(
    change: Change, annotations: Sequence[Annotation], size: Size, flips: Flips | None = None
) -> tuple[list[Annotation], Size, int]:
    """The annotations after the change, the new size, and how many are gone."""
    match change:
        case Crop():
            kept = [crop(a, (change.x, change.y, change.w, change.h), change.keep) for a in annotations]
            return [a for found in kept for a in found], (change.w, change.h), sum(not found for found in kept)
        case Rotate():
            turns = change.quarters % 4
            new = (size[1], size[0]) if turns % 2 else size
            return [_turned(a, turns, size) for a in annotations], new, 0
        case Mirror():
            return [_mirrored(a, change.axis, size, flips or {}) for a in annotations], size, 0
        case Resize():
            return [_resized(a, size, (change.w, change.h)) for a in annotations], (change.w, change.h), 0


Move = Callable[[float, float], tuple[float, float]]


def _turned(annotation: Annotation, turns: int, size: Size) -> Annotation:
    width, height = size
    moves: dict[int, Move] = {
        0: lambda x, y: (x, y),
        1: lambda x, y: (height - y, x),
        2: lambda x, y: (width - x, height - y),
        3: lambda x, y: (y, width - x),
    }
    moved = _moved(annotation, moves[turns])
    if annotation["type"] == "mask":
        _set_mask(moved, annotation, lambda mask: _rotated(mask, turns))
    return moved


def _mirrored(annotation: Annotation, axis: str, size: Size, flips: Flips) -> Annotation:
    width, height = size
    sideways = axis == "horizontal"
    moved = _moved(annotation, (lambda x, y: (width - x, y)) if sideways else (lambda x, y: (x, height - y)))
    if annotation["type"] == "mask":
        _set_mask(moved, annotation, lambda mask: mask[:, ::-1] if sideways else mask[::-1])
    if annotation["type"] == "keypoints":
        moved["points"] = _swapped(moved["points"], flips.get(annotation.get("label"), ()))
    return moved


def _resized(annotation: Annotation, old: Size, new: Size) -> Annotation:
    sx, sy = new[0] / old[0], new[1] / old[1]
    moved = _moved(annotation, lambda x, y: (x * sx, y * sy))
    if annotation["type"] == "mask":
        _set_mask(moved, annotation, lambda mask: _scaled(mask, new))
    if annotation["type"] == "circle":
        moved["r"] = annotation["r"] * math.sqrt(sx * sy)
    return moved


def _moved(annotation: Annotation, move: Move) -> Annotation:
    """A copy with all its coordinates moved; masks are the caller's."""
    moved = dict(annotation)
    match annotation["type"]:
        case "box":
            moved.pop("angle", None)
            moved.update(_moved_box(annotation, move))
        case "polygon":
            moved["rings"] = [_moved_flat(ring, move) for ring in annotation["rings"]]
        case "polyline":
            moved["points"] = _moved_flat(annotation["points"], move)
        case "keypoints":
            moved["points"] = [[*move(x, y), v] if v else [0, 0, 0] for x, y, v in annotation["points"]]
            if "w" in annotation:
                moved.update(_moved_box({k: annotation[k] for k in "xywh"}, move))
        case "point" | "circle":
            moved["x"], moved["y"] = move(annotation["x"], annotation["y"])
    return moved


def _moved_box(box: Mapping[str, Any], move: Move) -> dict[str, float]:
    ring = _moved_flat(corners(box), move)
    if not box.get("angle"):
        x, y, w, h = polygons.bounds(ring)
        return {"x": x, "y": y, "w": w, "h": h}
    if polygons.turn(ring) < 0:
        # In a mirror the corners go round the other way; a box's go clockwise.
        ring = [*ring[2:4], *ring[0:2], *ring[6:8], *ring[4:6]]
    return box_of_corners(ring)


def _moved_flat(flat: Sequence[float], move: Move) -> list[float]:
    return [value for x, y in zip(flat[0::2], flat[1::2], strict=True) for value in move(x, y)]


def _swapped(points: list[Any], pairs: Sequence[Sequence[int]]) -> list[Any]:
    swapped = list(points)
    for a, b in pairs:
        if a < len(points) and b < len(points):
            swapped[a], swapped[b] = points[b], points[a]
    return swapped


def _set_mask(moved: Annotation, annotation: Annotation, change: Callable[[Any], Any]) -> None:
    height, width = annotation["size"]
    mask = change(rle.decode(rle.check(annotation["rle"], height, width), height, width))
    moved["size"] = [int(mask.shape[0]), int(mask.shape[1])]
    moved["rle"] = rle.text_of(rle.encode(mask))


def _rotated(mask: Any, turns: int) -> Any:
    import numpy as np

    return np.rot90(mask, -turns)


def _scaled(mask: Any, new: Size) -> Any:
    """The nearest pixel's value, by pixel centres."""
    import numpy as np

    height, width = mask.shape
    rows = ((np.arange(new[1]) + 0.5) * height / new[1]).astype(np.int64)
    columns = ((np.arange(new[0]) + 0.5) * width / new[0]).astype(np.int64)
    return mask[np.minimum(rows, height - 1)][:, np.minimum(columns, width - 1)]
