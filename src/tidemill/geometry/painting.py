"""Annotations painted into a picture of class numbers, and such pictures taken apart into annotations."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidemill.geometry import measure, polygons, rle
from tidemill.geometry.outline import circle_ring

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNKNOWN = 255
"""Pixels of which nothing is known: they count neither in training nor in evaluation."""
CLASSES_MAX = 254
SMALL = 0.0005
"""Pieces that are a smaller part of the picture are left out of outlines."""


def paint(
    annotations: Sequence[Mapping[str, Any]], numbers: Mapping[Any, int], height: int, width: int, *, rest: int
) -> "NDArray[np.uint8]":
    """The class of every pixel: the larger shapes first, so that what lies on another is seen; `rest` elsewhere.

    `numbers` gives each label its class; labels it does not know are left out.
    """
    import numpy as np

    picture = np.full((height, width), rest, dtype=np.uint8)
    known = [one for one in annotations if one.get("label") in numbers or one.get("ignore") or one.get("crowd")]
    for one in sorted(known, key=measure.area, reverse=True):
        mask = mask_of(one, height, width)
        if mask is not None:
            unsure = one.get("ignore") or one.get("crowd") or one["label"] not in numbers
            picture[mask] = UNKNOWN if unsure else numbers[one["label"]]
    return picture


def mask_of(one: Mapping[str, Any], height: int, width: int) -> "NDArray[np.bool_] | None":
    """The pixels of a shape in a picture of that size; None for what has no area."""
    import numpy as np

    match one["type"]:
        case "mask":
            own_height, own_width = one["size"]
            mask = rle.decode(rle.check(one["rle"], own_height, own_width), own_height, own_width)
            if mask.shape == (height, width):
                return mask
            rows = np.minimum(((np.arange(height) + 0.5) * own_height / height).astype(int), own_height - 1)
            columns = np.minimum(((np.arange(width) + 0.5) * own_width / width).astype(int), own_width - 1)
            return np.asarray(mask[rows][:, columns])
        case "polygon":
            return polygons.fill(one["rings"], one.get("holes", ()), height, width)
        case "box":
            return polygons.fill([measure.corners(one)], (), height, width)
        case "circle":
            return polygons.fill([circle_ring(one)], (), height, width)
        case _:
            return None


def as_mask(mask: "NDArray[np.bool_]") -> dict[str, Any]:
    """A mask annotation, without its label."""
    height, width = mask.shape
    return {"type": "mask", "size": [height, width], "rle": rle.text_of(rle.encode(mask))}


def as_polygons(mask: "NDArray[np.bool_]", tolerance: float = 1.0) -> list[dict[str, Any]]:
    """Polygon annotations without their label: each piece one, with its holes, its outline made simpler."""
    rings, holes = polygons.outlines(mask)
    least = SMALL * mask.size
    outer = [place for place in range(len(rings)) if place not in holes and polygons.area(rings[place]) >= least]
    pieces: dict[int, list[list[float]]] = {place: [polygons.simplify(rings[place], tolerance)] for place in outer}
    for hole in holes:
        owner = _around(rings[hole], {place: rings[place] for place in outer})
        if owner is not None and polygons.area(rings[hole]) >= least:
            pieces[owner].append(polygons.simplify(rings[hole], tolerance))
    return [
        {"type": "polygon", "rings": parts} | ({"holes": list(range(1, len(parts)))} if len(parts) > 1 else {})
        for parts in pieces.values()
    ]


def _around(hole: Sequence[float], outer: Mapping[int, Sequence[float]]) -> int | None:
    """The smallest ring that a hole's first corner lies in."""
    x, y = hole[0] + 0.25, hole[1] + 0.25
    inside = [place for place, ring in outer.items() if _contains(ring, x, y)]
    return min(inside, key=lambda place: polygons.area(outer[place]), default=None)


def _contains(ring: Sequence[float], x: float, y: float) -> bool:
    found = False
    x0, y0 = ring[-2], ring[-1]
    for place in range(0, len(ring), 2):
        x1, y1 = ring[place], ring[place + 1]
        if (y1 > y) != (y0 > y) and x < (x0 - x1) * (y - y1) / (y0 - y1) + x1:
            found = not found
        x0, y0 = x1, y1
    return found
