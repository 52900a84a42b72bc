"""Pascal VOC: one XML file a picture, wherever the two lie; `ImageSets` say which picture is for training.

Boxes are taken as they are written (a continuous pixel grid, no shift by one), turned ones (`robndbox`) and outlines
(`polygon`, as some tools add) too, unless the dataset is for detection.
"""

import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from tidemill.datasets.formats.base import BROKEN, Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import PICTURES, Files, folder_of, split_of, stem_of, suffix_of
from tidemill.datasets.formats.xml import parse
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source

_LOOKED_AT = 20
_XML_MAX_BYTES = 16 << 20
_KNOWN = {"name", "pose", "truncated", "difficult", "occluded", "bndbox", "robndbox", "polygon", "segm", "part",
          "actions", "attributes", "id", "deleted", "verified", "date", "type"}  # fmt: skip
_TOP = re.compile(rb"<annotation[\s>]")
_FLAGS = ("truncated", "difficult", "occluded")


class VocReader(Reader):
    """Every XML file with an `annotation` at its top."""

    name = "voc"

    def recognise(self, source: Source) -> float:
        paths = [entry.path for entry in source.entries() if entry.path.lower().endswith(".xml")]
        heads = [_head(source, path) for path in paths[:_LOOKED_AT]]
        good = sum(_TOP.search(head) is not None for head in heads)
        photos = sum(suffix_of(e.path) in PICTURES and not _is_mask(e.path) for e in source.entries())
        return (0.95 if len(paths) >= photos / 3 else 0.8) * good / len(heads) if heads else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        files = Files(source)
        splits = _splits(source, files)
        seen: set[str] = set()
        labels: dict[str, None] = {}
        for path in files.of([".xml"]):
            for found in self._file(source, files, path, splits, labels, options.get("annotation_type")):
                if isinstance(found, Sample):
                    if found.path in seen:
                        yield Note("annotated_twice", path, params={"picture": found.path})
                        continue
                    seen.add(found.path)
                yield found
        for path in files.of(PICTURES):
            if path not in seen and not _is_mask(path):
                yield Sample(path, path, split=splits.get(stem_of(path)) or split_of(path))

    def _file(
        self,
        source: Source,
        files: Files,
        path: str,
        splits: dict[str, str],
        labels: dict[str, None],
        wanted: str | None,
    ) -> Iterator[Label | Sample | Note]:
        try:
            root = parse(source.read(path, _XML_MAX_BYTES))
            if root.tag != "annotation":
                return
            sample = _sample(root, path, files, splits)
        except BROKEN as error:
            yield Note("xml_broken", path, params=why(error))
            return
        except OSError as error:
            yield Note("file_unreadable", path, params=why(error))
            return
        for number, element in enumerate(root.iter("object"), 1):
            try:
                annotation = _object(element, outlines=wanted != "detection")
            except BROKEN as error:
                yield Note("annotation_broken", path, params={"id": number, **why(error)})
                continue
            annotation["id"] = str(number)
            if annotation["label"] not in labels:
                labels[annotation["label"]] = None
                yield Label(annotation["label"])
            sample.annotations.append(annotation)
        yield sample


def _head(source: Source, path: str) -> bytes:
    try:
        return source.read(path, 2000)
    except OSError:
        return b""


def _splits(source: Source, files: Files) -> dict[str, str]:
    """Which picture is for what, by the lists in `ImageSets`; the narrower list (train, val) wins over `trainval`."""
    found: dict[str, str] = {}
    lists = [
        p
        for p in files.of([".txt"])
        if "imagesets/" in p.lower() and stem_of(p) in {"train", "val", "test", "trainval"}
    ]
    for path in sorted(lists, key=lambda p: stem_of(p) != "trainval"):
        try:
            text = source.read(path, _XML_MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        split = "train" if stem_of(path) == "trainval" else stem_of(path)
        for line in text.splitlines():
            if words := line.split():
                found[words[0]] = split
    return found


def _sample(root: Element, path: str, files: Files, splits: dict[str, str]) -> Sample:
    stem = stem_of(path)
    near = folder_of(path)
    names = [root.findtext("filename") or "", stem]
    if folder := root.findtext("folder"):
        names.insert(0, f"{folder}/{names[0]}")
    found = next((f for name in names if name and (f := files.find(name, near))), None)
    name = found or root.findtext("filename") or f"{stem}.jpg"
    width, height = _side(root, "width", "ncols"), _side(root, "height", "nrows")
    split = splits.get(stem) or splits.get(stem_of(name)) or split_of(name)
    return Sample(_relative(name), found, [], width, height, split=split, state="labelled")


def _relative(name: str) -> str:
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}) or "unnamed"


def _side(root: Element, *names: str) -> int | None:
    for name in names:
        text = root.findtext(f"size/{name}") or root.findtext(f"imagesize/{name}")
        if text and text.strip().isdigit() and int(text) > 0:
            return int(text)
    return None


def _object(element: Element, *, outlines: bool) -> Annotation:
    annotation: Annotation = {"type": "box", "label": (element.findtext("name") or "").strip()}
    if not annotation["label"]:
        raise Malformed("no_name")
    _place(element, annotation, outlines)
    for flag in _FLAGS:
        if (element.findtext(flag) or "").strip().lower() in {"1", "true", "yes"}:
            annotation[flag] = True
    attributes = _attributes(element)
    if attributes:
        annotation["attributes"] = attributes
    return annotation


def _place(element: Element, annotation: Annotation, outlines: bool) -> None:
    polygon, turned = element.find("polygon"), element.find("robndbox")
    outlines = outlines and element.findtext("type") != "bounding_box"
    if polygon is not None and (ring := _ring(polygon)) and outlines:
        annotation.update({"type": "polygon", "rings": [ring]})
    elif turned is not None:
        cx, cy, w, h = (_number(turned, name) for name in ("cx", "cy", "w", "h"))
        angle = math.degrees(_number(turned, "angle")) % 360
        annotation.update(_sized(cx - w / 2, cy - h / 2, w, h) | ({"angle": angle} if angle else {}))
    elif element.find("bndbox") is None and polygon is not None and (ring := _ring(polygon)):
        xs, ys = ring[0::2], ring[1::2]
        annotation.update(_sized(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)))
    else:
        box = element.find("bndbox") if element.find("bndbox") is not None else element.find("segm/box")
        if box is None:
            raise Malformed("no_box")
        x1, y1, x2, y2 = (_number(box, name) for name in ("xmin", "ymin", "xmax", "ymax"))
        annotation.update(_sized(x1, y1, x2 - x1, y2 - y1))


def _sized(x: float, y: float, w: float, h: float) -> dict[str, Any]:
    if not (w > 0 and h > 0 and math.isfinite(x + y + w + h)):
        raise Malformed("box_empty")
    return {"x": x, "y": y, "w": w, "h": h}


def _ring(polygon: Element) -> list[float]:
    """Corners as `<pt><x/><y/></pt>` or as `<x1/><y1/><x2/>…`."""
    points = [value for pt in polygon.iter("pt") for value in (_number(pt, "x"), _number(pt, "y"))]
    if not points:
        number = 1
        while polygon.find(f"x{number}") is not None:
            points += [_number(polygon, f"x{number}"), _number(polygon, f"y{number}")]
            number += 1
    return points if len(points) >= 6 else []


def _number(element: Element, name: str) -> float:
    text = element.findtext(name)
    if text is None:
        raise Malformed("entry_missing", entry=name)
    value = float(text)
    if not math.isfinite(value):
        raise Malformed("not_a_number", value=name)
    return int(value) if value == int(value) else value


def _attributes(element: Element) -> dict[str, Any]:
    """CVAT's and datumaro's `attributes`, the pose, actions, and simple fields nobody knows."""
    found: dict[str, Any] = {}
    for attribute in element.iterfind("attributes/attribute"):
        name = attribute.findtext("name")
        if name:
            found[name] = attribute.findtext("value") or ""
    pose = (element.findtext("pose") or "").strip()
    if pose and pose.lower() != "unspecified":
        found["pose"] = pose
    for action in element.iterfind("actions/*"):
        if (action.text or "").strip() == "1":
            found[action.tag] = True
    for child in element:
        if child.tag not in _KNOWN and len(child) == 0 and (child.text or "").strip():
            found[child.tag] = (child.text or "").strip()
    return found


def _is_mask(path: str) -> bool:
    return any(part in {"SegmentationClass", "SegmentationObject", "Masks", "Scribbles"} for part in path.split("/"))
