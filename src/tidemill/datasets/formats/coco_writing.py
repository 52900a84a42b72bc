"""COCO, written: one JSON file a split, pictures in `images/`.

Options: `file`, the JSON file's path with `{split}` in it. What COCO has no field for (`text`, `order`, `group`,
`track`, flags) goes into the rows under our names; other tools pass over it. The angle of a turned box is in
`attributes.rotation`, as CVAT writes it, and its outline in `segmentation`.
"""

import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import orjson

from tidemill.datasets.formats.base import Annotation, Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.writing import FIELDS, Classes, Tally, put_data
from tidemill.datasets.notes import Note
from tidemill.geometry import measure, polygons, rle
from tidemill.geometry.outline import circle_ring

_KEPT = ("ignore", "truncated", "difficult", "occluded", "score", "text", "order", "group", "track", "source")


class CocoWriter(Writer):
    """Rows are written while samples come; the pictures' and the rows' parts are joined at the end."""

    name = "coco"
    types = frozenset({"box", "polygon", "mask", "keypoints", "circle"})
    fields = FIELDS

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,
        files: Opener | None = None,
    ) -> list[Note]:
        tally = Tally(self.name)
        classes = Classes(labels)
        pattern = str(options.get("file") or "annotations/instances_{split}.json")
        folder = str(options.get("images", "images/"))
        parts: dict[str, CocoFile] = {}
        for sample in samples:
            split = sample.split or "default"
            part = parts.get(split)
            if part is None:
                part = parts[split] = CocoFile(target.open(pattern.replace("{split}", split)), classes, tally)
            part.add(sample, sample.path)
            put_data(target, f"{folder}{sample.path}", sample, files)
        for part in parts.values() or [CocoFile(target.open(pattern.replace("{split}", "default")), classes, tally)]:
            part.close(labels)
        return tally.notes()


class CocoFile:
    """One JSON file: pictures go straight into it, rows wait beside it."""

    def __init__(self, out: BinaryIO, classes: Classes, tally: Tally) -> None:
        self._out, self._classes, self._tally = out, classes, tally
        self._rows = tempfile.TemporaryFile(buffering=1 << 20)  # noqa: SIM115 — closed with this
        self._pictures = 0
        self._count = 0
        out.write(b'{"info":{"description":"Tidemill"},"licenses":[],"images":[')

    def add(self, sample: Sample, name: str) -> None:
        """A picture under that name with its annotations."""
        self._pictures += 1
        number = self._pictures
        picture = {"id": number, "file_name": name, "width": sample.width or 0, "height": sample.height or 0}
        self._out.write((b",\n" if number > 1 else b"\n") + orjson.dumps(picture))
        rows = []
        for row in self._merged(sample):
            self._count += 1
            rows.append(orjson.dumps(row | {"id": self._count, "image_id": number}, option=orjson.OPT_SERIALIZE_NUMPY))
        if rows:
            first = self._count == len(rows)
            self._rows.write((b"\n" if first else b",\n") + b",\n".join(rows))

    def close(self, labels: Sequence[Label]) -> None:
        """The rows and the categories; then the file is whole."""
        self._out.write(b'\n],\n"annotations":[')
        self._rows.seek(0)
        while block := self._rows.read(1 << 20):
            self._out.write(block)
        self._rows.close()
        self._out.write(b'\n],\n"categories":' + orjson.dumps(categories(labels, self._classes)) + b"}\n")
        self._out.close()

    def _merged(self, sample: Sample) -> list[dict[str, Any]]:
        """Rows; keypoints and an outline of one group are one row."""
        rows: list[dict[str, Any]] = []
        grouped: dict[tuple[Any, Any], dict[str, Any]] = {}
        for annotation in sample.annotations:
            row = self._row(annotation, sample)
            if row is None:
                continue
            key = (annotation.get("group"), annotation.get("label"))
            other = grouped.get(key) if key[0] is not None else None
            if other is not None and ("keypoints" in other) != ("keypoints" in row):
                taken = ("keypoints", "num_keypoints", "bbox") if "keypoints" in row else ("segmentation", "area")
                other.update({name: row[name] for name in taken})
                continue
            rows.append(row)
            grouped[key] = row
        return rows

    def _row(self, annotation: Annotation, sample: Sample) -> dict[str, Any] | None:
        place = _place(annotation, sample, self._tally)
        if place is None:
            self._tally.lost(annotation)
            return None
        row: dict[str, Any] = {"category_id": self._classes.place(annotation.get("label")) + 1, **place}
        row["iscrowd"] = 1 if annotation.get("crowd") else 0
        for name in _KEPT:
            if annotation.get(name) is not None:
                row[name] = annotation[name]
        attributes = dict(annotation.get("attributes") or {})
        if annotation.get("angle"):
            attributes["rotation"] = annotation["angle"]
        if attributes:
            row["attributes"] = attributes
        return row


def categories(labels: Sequence[Label], classes: Classes) -> list[dict[str, Any]]:
    """In the order of their numbers, with supercategory and skeleton where there is one."""
    known = dict(zip(classes.names(), labels, strict=False))
    rows = []
    for place, name in enumerate(classes.names()):
        label = known.get(name, Label(name))
        row: dict[str, Any] = {"id": place + 1, "name": name, "supercategory": label.parent or ""}
        if label.skeleton:
            row["keypoints"] = label.skeleton["points"]
            row["skeleton"] = [[a + 1, b + 1] for a, b in label.skeleton.get("edges", ())]
        rows.append(row)
    return rows


def _place(annotation: Annotation, sample: Sample, tally: Tally) -> dict[str, Any] | None:
    match annotation["type"]:
        case "box":
            x, y, w, h = measure.bounds(annotation) or (0, 0, 0, 0)
            outline = [measure.corners(annotation)] if annotation.get("angle") else []
            if annotation.get("angle"):
                x, y, w, h = annotation["x"], annotation["y"], annotation["w"], annotation["h"]
            return {"bbox": [x, y, w, h], "area": w * h, "segmentation": outline}
        case "polygon":
            return _polygon(annotation, sample, tally)
        case "mask":
            return _mask(annotation["size"], annotation["rle"])
        case "circle":
            tally.outlined(annotation)
            return _polygon({"type": "polygon", "rings": [circle_ring(annotation)]}, sample, tally)
        case "keypoints":
            return _keypoints(annotation)
        case _:
            return None


def _polygon(annotation: Annotation, sample: Sample, tally: Tally) -> dict[str, Any]:
    if annotation.get("holes") and sample.width and sample.height:
        # COCO's polygons have no holes; its masks can show them.
        tally.count("polygon_with_holes_as_mask")
        mask = polygons.fill(annotation["rings"], annotation["holes"], sample.height, sample.width)
        return _mask([sample.height, sample.width], rle.text_of(rle.encode(mask)))
    rings = annotation["rings"]
    bounds = polygons.bounds(rings[0] if len(rings) == 1 else [value for ring in rings for value in ring])
    return {"bbox": list(bounds), "area": measure.area(annotation), "segmentation": rings}


def _mask(size: list[int], text: str) -> dict[str, Any]:
    counts = rle.counts_of(text)
    bbox = list(rle.bounds(counts, size[0]))
    return {"bbox": bbox, "area": rle.area(counts), "segmentation": {"size": size, "counts": text}}


def _keypoints(annotation: Annotation) -> dict[str, Any]:
    x, y, w, h = measure.bounds(annotation) or (0, 0, 0, 0)
    flat = [value for point in annotation["points"] for value in point]
    seen = sum(1 for point in annotation["points"] if point[2])
    return {"bbox": [x, y, w, h], "area": w * h, "segmentation": [], "keypoints": flat, "num_keypoints": seen}
