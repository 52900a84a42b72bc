"""Annotations: the one form of them, checked as they come in, summed up for the counters.

Coordinates are pixels of the upright picture from its top left corner, times are seconds.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired

import orjson
from pydantic import ConfigDict, Field, StringConstraints, with_config
from typing_extensions import TypedDict

from tidemill.kernel.errors import Invalid, TooLarge
from tidemill.kernel.fields import Text

ANNOTATIONS_MAX = 20_000
POINTS_MAX = 100_000
BODY_MAX_BYTES = 8 * 1024 * 1024
SMALL, MEDIUM = 32.0**2, 96.0**2
SIZES = ("small", "medium", "large")
_ALWAYS_FINE = frozenset({"box", "class", "point", "circle"})
"""Of these the types say all there is to say."""

Coordinate = Annotated[float, Field(allow_inf_nan=False, ge=-1e7, le=1e7)]
Length = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e7)]
Seconds = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e9)]
LabelNumber = Annotated[int, Field(ge=1, le=2**53)]
Flat = Annotated[list[Coordinate], Field(max_length=2 * POINTS_MAX)]
AnnotationId = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_.:-]{1,64}$")]
_Value = str | bool | int | float | list[str] | None

_strict = with_config(ConfigDict(extra="forbid"))


class _Common(TypedDict):
    id: NotRequired[AnnotationId]
    attributes: NotRequired[Annotated[dict[Annotated[Text, Field(max_length=200)], _Value], Field(max_length=200)]]
    score: NotRequired[Annotated[float, Field(ge=0, le=1)]]
    crowd: NotRequired[bool]
    ignore: NotRequired[bool]
    truncated: NotRequired[bool]
    difficult: NotRequired[bool]
    occluded: NotRequired[bool]
    auto: NotRequired[bool]
    group: NotRequired[Annotated[int, Field(ge=-(2**53), le=2**53)]]
    track: NotRequired[Annotated[Text, Field(max_length=100)]]
    order: NotRequired[Annotated[int, Field(ge=0, le=2**31)]]
    source: NotRequired[Annotated[Text, Field(max_length=200)]]
    text: NotRequired[Annotated[Text, Field(max_length=100_000)]]


@_strict
class Box(_Common):
    type: Literal["box"]
    label: LabelNumber
    x: Coordinate
    y: Coordinate
    w: Length
    h: Length
    angle: NotRequired[Annotated[float, Field(allow_inf_nan=False, ge=-360, le=360)]]
    """Degrees, clockwise about the centre."""


@_strict
class Polygon(_Common):
    type: Literal["polygon"]
    label: LabelNumber
    rings: Annotated[list[Flat], Field(min_length=1, max_length=10_000)]
    """x, y, x, y, …; several rings are several parts."""
    holes: NotRequired[Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=10_000)]]
    """Which of the rings are holes."""


@_strict
class Mask(_Common):
    type: Literal["mask"]
    label: LabelNumber
    size: Annotated[list[Annotated[int, Field(ge=1, le=1_000_000)]], Field(min_length=2, max_length=2)]
    """Height and width of the whole picture."""
    rle: Annotated[str, StringConstraints(pattern=r"^[0-o]*$", max_length=4_000_000)]
    """COCO's compressed string."""


@_strict
class Keypoints(_Common):
    type: Literal["keypoints"]
    label: LabelNumber
    points: Annotated[
        list[Annotated[list[Coordinate], Field(min_length=3, max_length=3)]], Field(min_length=1, max_length=1000)
    ]
    """x, y and 0 (none), 1 (hidden) or 2 (visible), in the order of the label's skeleton."""
    x: NotRequired[Coordinate]
    y: NotRequired[Coordinate]
    w: NotRequired[Length]
    h: NotRequired[Length]


@_strict
class Polyline(_Common):
    type: Literal["polyline"]
    label: LabelNumber
    points: Flat


@_strict
class Point(_Common):
    type: Literal["point"]
    label: LabelNumber
    x: Coordinate
    y: Coordinate


@_strict
class Circle(_Common):
    type: Literal["circle"]
    label: LabelNumber
    x: Coordinate
    y: Coordinate
    r: Length


@_strict
class Class(_Common):
    type: Literal["class"]
    label: LabelNumber


@_strict
class Segment(_Common):
    type: Literal["segment"]
    label: NotRequired[LabelNumber]
    start: Seconds
    end: Seconds


Annotation = Annotated[
    Box | Polygon | Mask | Keypoints | Polyline | Point | Circle | Class | Segment, Field(discriminator="type")
]
Annotations = Annotated[list[Annotation], Field(max_length=ANNOTATIONS_MAX)]


@dataclass(slots=True)
class Summary:
    """What the counters want to know of an item's annotations."""

    count: int = 0
    labels: dict[int, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


EMPTY = Summary()


def pack(annotations: Sequence[Any]) -> str:
    """Checked annotations as they are kept: what types cannot say is checked here, ids are given where there are none.

    The ids must differ: it is by them that two people's changes are told apart.
    """
    _give_ids(annotations)
    for place, one in enumerate(annotations):
        if one["type"] not in _ALWAYS_FINE and (refusal := _find_fault(one)):
            raise Invalid(refusal, field=f"annotations.{place}")
    body = orjson.dumps(annotations)
    if len(body) > BODY_MAX_BYTES:
        raise TooLarge("annotations_too_large", field="annotations", max_bytes=BODY_MAX_BYTES)
    return body.decode()


def unpack(body: str | None) -> list[dict[str, Any]]:
    """Annotations as they were kept."""
    found: list[dict[str, Any]] = orjson.loads(body) if body else []
    return found


def summarise(annotations: Iterable[Any]) -> Summary:
    """Counts of labels, types and sizes."""
    types: dict[str, int] = {}
    labels: dict[int, int] = {}
    sizes: dict[str, int] = {}
    for one in annotations:
        kind = one["type"]
        types[kind] = types.get(kind, 0) + 1
        if (label := one.get("label")) is not None:
            labels[label] = labels.get(label, 0) + 1
        area = one["w"] * one["h"] if kind == "box" else area_of(one)
        if area is not None:
            size = "small" if area < SMALL else "medium" if area < MEDIUM else "large"
            sizes[size] = sizes.get(size, 0) + 1
    return Summary(sum(types.values()), labels, types, sizes)


def area_of(annotation: Any) -> float | None:
    """In square pixels; None for what has none."""
    kind = annotation["type"]
    if kind == "box" or (kind == "keypoints" and "w" in annotation and "h" in annotation):
        return float(annotation["w"] * annotation["h"])
    if kind == "polygon":
        holes = set(annotation.get("holes", ()))
        areas = [_ring_area(ring) for ring in annotation["rings"]]
        return max(0.0, sum(-area if place in holes else area for place, area in enumerate(areas)))
    if kind == "mask":
        return float(_mask_area(annotation["rle"]))
    if kind == "circle":
        return math.pi * float(annotation["r"]) ** 2
    return None


def _give_ids(annotations: Sequence[Any]) -> None:
    given = [one["id"] for one in annotations if "id" in one]
    taken = set(given)
    if len(taken) < len(given):
        raise Invalid("annotation_id_twice", field="annotations")
    if len(given) == len(annotations):
        return
    free = 1
    for one in annotations:
        if "id" not in one:
            while str(free) in taken:
                free += 1
            one["id"] = str(free)
            free += 1


def _find_fault(one: Any) -> str | None:
    """The code of a rule that is broken, if one is."""
    kind = one["type"]
    if kind == "polygon":
        if any(len(ring) < 6 or len(ring) % 2 for ring in one["rings"]):
            return "annotation_ring"
        if any(hole >= len(one["rings"]) for hole in one.get("holes", ())):
            return "annotation_hole"
    elif kind == "polyline" and (len(one["points"]) < 4 or len(one["points"]) % 2):
        return "annotation_line"
    elif kind == "keypoints" and any(point[2] not in (0, 1, 2) for point in one["points"]):
        return "annotation_visibility"
    elif kind == "segment" and one["end"] < one["start"]:
        return "annotation_times"
    elif kind == "mask" and not _fills(one):
        return "annotation_mask"
    return None


def _fills(mask: Any) -> bool:
    height, width = mask["size"]
    runs = _runs(mask["rle"])
    return runs is not None and sum(runs) == height * width and min(runs, default=0) >= 0


def _ring_area(ring: Sequence[float]) -> float:
    total = 0.0
    x0, y0 = ring[-2], ring[-1]
    for place in range(0, len(ring), 2):
        x1, y1 = ring[place], ring[place + 1]
        total += x0 * y1 - x1 * y0
        x0, y0 = x1, y1
    return abs(total) / 2


def _mask_area(rle: str) -> int:
    return sum((_runs(rle) or [])[1::2])


def _runs(rle: str) -> list[int] | None:
    """The lengths of runs, off and on in turn; None when the text ends within a number."""
    runs: list[int] = []
    value = shift = 0
    for byte in rle.encode("ascii"):
        piece = byte - 48
        value |= (piece & 31) << shift
        shift += 5
        if piece & 32:
            continue
        if piece & 16:
            value -= 1 << shift
        runs.append(value + runs[-2] if len(runs) > 2 else value)
        value = shift = 0
    return None if shift else runs
