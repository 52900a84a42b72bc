"""LabelMe: one JSON file a picture, with shapes of every kind, perhaps with the picture inside.

Files of old versions (no `shape_type`, no sizes) and of its relatives (turned rectangles as `rotation`) are read too.
Polygons of one label and group are parts of one object, as in LabelMe's own converters. Flags of the picture that
are set are its classes. Options: none of its own.
"""

import base64
import binascii
import math
from collections.abc import Iterator
from typing import Any

from tidemill.datasets.formats import json_stream
from tidemill.datasets.formats.base import BROKEN, Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import PICTURES, Files, folder_of, split_of, stem_of
from tidemill.datasets.formats.labelme_masks import mask_of
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source
from tidemill.geometry.measure import box_of_corners

_LOOKED_AT = 20
_JSON_MAX_BYTES = 256 << 20
_MAGIC = {
    b"\x89PNG": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"BM": ".bmp",
    b"GIF8": ".gif",
    b"II*\0": ".tif",
    b"RIFF": ".webp",
}
_FLAGS = ("truncated", "difficult", "occluded", "ignore", "crowd")
_KEPT = ("track", "order", "score", "source")


class LabelMeReader(Reader):
    """Every JSON file with `shapes` in it."""

    name = "labelme"

    def recognise(self, source: Source) -> float:
        paths = [entry.path for entry in source.entries() if entry.path.lower().endswith(".json")][:_LOOKED_AT]
        good = sum(_looks_like(source, path) for path in paths)
        return 0.95 * good / len(paths) if paths else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:  # noqa: ARG002
        files = Files(source)
        labels: set[str] = set()
        seen: set[str] = set()
        for path in files.of([".json"]):
            for found in _read_file(source, files, path):
                if isinstance(found, Sample):
                    if found.path in seen:
                        yield Note("annotated_twice", path, params={"picture": found.path})
                        continue
                    seen.add(found.path)
                    for name in dict.fromkeys(a["label"] for a in found.annotations):
                        if name not in labels:
                            labels.add(name)
                            yield Label(name)
                yield found
        for path in files.of(PICTURES):
            if path not in seen and not any(part.startswith("Segmentation") for part in path.split("/")):
                yield Sample(path, path, split=split_of(path))


def _looks_like(source: Source, path: str) -> bool:
    try:
        head = source.read(path, 1 << 16)
    except OSError:
        return False
    telling = (b'"shapes"', b'"imagePath"', b'"imageData"', b'"lineColor"', b'"shape_type"')
    return sum(word in head for word in telling) >= 2


def _read_file(source: Source, files: Files, path: str) -> Iterator[Sample | Note]:
    try:
        data = json_stream.loads(source.read(path, _JSON_MAX_BYTES))
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))
        return
    except BROKEN:
        yield Note("json_damaged", path, params={"offset": 0})
        return
    if not isinstance(data, dict) or not isinstance(data.get("shapes"), list):
        return
    try:
        sample = _sample(data, path, files)
    except BROKEN as error:
        yield Note("annotation_broken", path, params={"id": "", **why(error)})
        return
    grouped: dict[tuple[str, Any], Annotation] = {}
    for number, shape in enumerate(data["shapes"], 1):
        try:
            for annotation in _shape(shape, number, sample):
                _join(annotation, grouped, sample.annotations)
        except BROKEN as error:
            yield Note("annotation_broken", path, params={"id": number, **why(error)})
    flags = data.get("flags")
    if isinstance(flags, dict):
        sample.annotations += [
            {"type": "class", "label": str(name)} for name, is_set in flags.items() if is_set is True
        ]
    yield sample


def _sample(data: dict[str, Any], path: str, files: Files) -> Sample:
    near, named = folder_of(path), data.get("imagePath")
    found = files.find(named, near) if isinstance(named, str) and named else None
    found = found or files.find(stem_of(path), near)
    content: str | bytes | None = found
    target = found or f"{near}/{stem_of(path)}.jpg".lstrip("/")
    if found is None and isinstance(data.get("imageData"), str) and data["imageData"]:
        content, target = _embedded(data["imageData"], f"{near}/{stem_of(path)}".lstrip("/"))
    elif found is None and isinstance(named, str) and named:
        name = named.replace("\\", "/").rpartition("/")[2]
        target = f"{near}/{name}".lstrip("/") if name and not name.endswith(".json") else target
    width, height = _side(data.get("imageWidth")), _side(data.get("imageHeight"))
    return Sample(target, content, [], width, height, split=split_of(target), state="labelled")


def _embedded(text: str, stem: str) -> tuple[bytes, str]:
    try:
        content = base64.b64decode(text.partition(",")[2] if text.startswith("data:") else text)
    except (binascii.Error, ValueError) as error:
        raise Malformed("picture_in_it_damaged") from error
    suffix = next((suffix for magic, suffix in _MAGIC.items() if content.startswith(magic)), ".jpg")
    return content, stem + suffix


def _side(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1 << 20 else None


def _shape(shape: dict[str, Any], number: int, sample: Sample) -> list[Annotation]:
    label = str(shape["label"]).strip()
    if not label:
        raise Malformed("no_label")
    places = _places(shape, sample)
    for place in places:
        place["label"] = label
        place["id"] = str(number) if len(places) == 1 else f"{number}.{places.index(place)}"
        _extras(shape, place)
    return places


def _extras(shape: dict[str, Any], annotation: Annotation) -> None:
    group = shape.get("group_id")
    if isinstance(group, int):
        annotation["group"] = group
    if isinstance(shape.get("description"), str) and shape["description"]:
        annotation["text"] = shape["description"]
    for flag in _FLAGS:
        if shape.get(flag) is True:
            annotation[flag] = True
    for name in _KEPT:
        if shape.get(name) is not None:
            annotation[name] = shape[name]
    attributes = dict(shape["attributes"]) if isinstance(shape.get("attributes"), dict) else {}
    if isinstance(shape.get("flags"), dict):
        attributes |= {str(name): True for name, is_set in shape["flags"].items() if is_set is True}
    if attributes:
        annotation["attributes"] = attributes


def _places(shape: dict[str, Any], sample: Sample) -> list[Annotation]:
    points = [(float(x), float(y)) for x, y in shape.get("points") or []]
    if not points or not all(math.isfinite(x + y) for x, y in points):
        raise Malformed("no_points")
    flat = [value for point in points for value in point]
    kind = shape.get("shape_type") or "polygon"
    match kind:
        case "rectangle":
            return [_box(points)]
        case "rotation" | "oriented_rectangle" if len(points) == 4:
            return [{"type": "box", **box_of_corners(flat)}]
        case "circle" if len(points) == 2:
            (x, y), (px, py) = points
            return [{"type": "circle", "x": x, "y": y, "r": math.hypot(px - x, py - y)}]
        case "point" | "points":
            return [{"type": "point", "x": x, "y": y} for x, y in points]
        case "mask" if len(points) == 2:
            return [mask_of(shape["mask"], points, sample.width, sample.height)]
        case "polygon" if len(points) >= 3:
            return [{"type": "polygon", "rings": [flat]}]
        case "line" | "linestrip" | "polygon" if len(points) >= 2:
            return [{"type": "polyline", "points": flat}]
    raise Malformed("no_such_shape", shape=f"{kind!s:.50}", count=len(points))


def _box(points: list[tuple[float, float]]) -> Annotation:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    w, h = max(xs) - min(xs), max(ys) - min(ys)
    if not (w > 0 and h > 0):
        raise Malformed("box_empty")
    return {"type": "box", "x": min(xs), "y": min(ys), "w": w, "h": h}


def _join(annotation: Annotation, grouped: dict[tuple[str, Any], Annotation], found: list[Annotation]) -> None:
    key = (annotation["label"], annotation.get("group"))
    whole = grouped.get(key)
    if annotation["type"] == "polygon" and key[1] is not None:
        if whole is not None:
            whole["rings"] += annotation["rings"]
            return
        grouped[key] = annotation
    found.append(annotation)
