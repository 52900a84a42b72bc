"""LabelMe, written: a JSON file beside each picture.

What LabelMe has no field for is written into the shapes under our names; it keeps what it does not know. A polygon of
several rings becomes several shapes of one group; turned boxes become polygons.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from tidemill.datasets.formats.base import Annotation, Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.labelme_masks import text_of
from tidemill.datasets.formats.writing import FIELDS, Names, Tally, put_data
from tidemill.datasets.notes import Note
from tidemill.geometry import measure, polygons, rle

_VERSION = "5.5.0"
_KEPT = ("truncated", "difficult", "occluded", "ignore", "crowd", "track", "order", "score", "source")


class LabelMeWriter(Writer):
    """Pictures are referred to, not put inside."""

    name = "labelme"
    types = frozenset({"box", "polygon", "mask", "polyline", "point", "circle", "class"})
    fields = FIELDS

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,  # noqa: ARG002 — it has none
        files: Opener | None = None,
    ) -> list[Note]:
        tally, names = Tally(self.name), Names()
        for sample in samples:
            target.add(
                f"{names.take(sample.path)}.json", orjson.dumps(_document(sample, tally), option=orjson.OPT_INDENT_2)
            )
            put_data(target, sample.path, sample, files)
        target.add("labels.txt", "".join(f"{label.name}\n" for label in labels).encode())
        return tally.notes()


def _document(sample: Sample, tally: Tally) -> dict[str, Any]:
    groups = [a["group"] for a in sample.annotations if isinstance(a.get("group"), int)]
    free = iter(range(max(groups, default=0) + 1, 1 << 60))
    shapes: list[dict[str, Any]] = []
    flags = {str(a["label"]): True for a in sample.annotations if a["type"] == "class"}
    for annotation in sample.annotations:
        if annotation["type"] == "class":
            continue
        found = _shapes(annotation, sample, tally)
        if not found:
            tally.lost(annotation)
            continue
        group = annotation.get("group")
        if len(found) > 1 and group is None:
            group = next(free)
        shapes += [_finished(shape, annotation, group) for shape in found]
    return {
        "version": _VERSION,
        "flags": flags,
        "shapes": shapes,
        "imagePath": sample.path.rpartition("/")[2],
        "imageData": None,
        "imageHeight": sample.height,
        "imageWidth": sample.width,
    }


def _finished(shape: dict[str, Any], annotation: Annotation, group: Any) -> dict[str, Any]:
    shape |= {"label": str(annotation.get("label")), "group_id": group, "description": annotation.get("text", "")}
    attributes = annotation.get("attributes") or {}
    shape["flags"] = {name: True for name, value in attributes.items() if value is True}
    if rest := {name: value for name, value in attributes.items() if value is not True}:
        shape["attributes"] = rest
    shape |= {name: annotation[name] for name in _KEPT if annotation.get(name) is not None}
    return shape


def _shapes(annotation: Annotation, sample: Sample, tally: Tally) -> list[dict[str, Any]]:
    match annotation["type"]:
        case "box" if not annotation.get("angle"):
            x, y, w, h = annotation["x"], annotation["y"], annotation["w"], annotation["h"]
            return [{"shape_type": "rectangle", "points": [[x, y], [x + w, y + h]]}]
        case "box":
            tally.outlined(annotation)
            return [{"shape_type": "polygon", "points": _pairs(measure.corners(annotation))}]
        case "polygon" if annotation.get("holes") and sample.width and sample.height:
            tally.count("polygon_with_holes_as_mask")
            mask = polygons.fill(annotation["rings"], annotation["holes"], sample.height, sample.width)
            return [_mask({"size": [sample.height, sample.width], "rle": rle.text_of(rle.encode(mask))})]
        case "polygon":
            return [{"shape_type": "polygon", "points": _pairs(ring)} for ring in annotation["rings"]]
        case "mask":
            return [_mask(annotation)]
        case "polyline":
            kind = "line" if len(annotation["points"]) == 4 else "linestrip"
            return [{"shape_type": kind, "points": _pairs(annotation["points"])}]
        case "point":
            return [{"shape_type": "point", "points": [[annotation["x"], annotation["y"]]]}]
        case "circle":
            x, y, r = annotation["x"], annotation["y"], annotation["r"]
            return [{"shape_type": "circle", "points": [[x, y], [x + r, y]]}]
        case _:
            return []


def _mask(annotation: Annotation) -> dict[str, Any]:
    text, corners = text_of(annotation)
    return {"shape_type": "mask", "points": corners, "mask": text}


def _pairs(flat: Sequence[float]) -> list[list[float]]:
    return [[x, y] for x, y in zip(flat[0::2], flat[1::2], strict=True)]
