"""Texts in pictures, written as PaddleOCR's `Label.txt` and as ICDAR's `gt_….txt` files.

Both take four corners or more a region; what has no text is written with an empty one, what is marked `ignore` with
`###`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from tidemill.datasets.formats.base import Annotation, Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.writing import Names, Tally, put_data, with_fields
from tidemill.datasets.notes import Note
from tidemill.geometry import measure, polygons, rle

_TYPES = frozenset({"box", "polygon", "mask"})
_FIELDS = frozenset({"text", "ignore"})


class PaddleWriter(Writer):
    """`Label.txt`, a line a picture; pictures in `images/`. Labels other than `text` are in `key_cls`."""

    name = "paddleocr"
    types = _TYPES
    fields = _FIELDS

    def write(
        self,
        labels: Sequence[Label],  # noqa: ARG002 — classes stand in the rows
        samples: Iterable[Sample],
        target: Target,
        options: Options,  # noqa: ARG002 — it has none
        files: Opener | None = None,
    ) -> list[Note]:
        tally = Tally(self.name)
        with target.open("Label.txt") as out:
            for sample in with_fields(samples, self.fields, tally):
                rows = [_paddle_row(a, ring) for a, ring in _regions(sample, tally)]
                out.write(f"images/{sample.path}\t".encode() + orjson.dumps(rows, option=orjson.OPT_APPEND_NEWLINE))
                put_data(target, f"images/{sample.path}", sample, files)
        return tally.notes()


class IcdarWriter(Writer):
    """`gt_<name>.txt` beside each picture, a line a region. Polygons of more than four corners become their box."""

    name = "icdar"
    types = _TYPES
    fields = _FIELDS

    def write(
        self,
        labels: Sequence[Label],  # noqa: ARG002 — it has no classes
        samples: Iterable[Sample],
        target: Target,
        options: Options,  # noqa: ARG002 — it has none
        files: Opener | None = None,
    ) -> list[Note]:
        tally, names = Tally(self.name), Names()
        for sample in with_fields(samples, self.fields, tally):
            folder, _, name = names.take(sample.path).rpartition("/")
            lines = []
            for annotation, ring in _regions(sample, tally):
                if annotation.get("label") not in {None, "text"}:
                    tally.count("field_not_carried", "label")
                four = ring
                if len(ring) != 8:
                    tally.reduced(annotation)
                    x, y, w, h = polygons.bounds(ring)
                    four = [x, y, x + w, y, x + w, y + h, x, y + h]
                text = "###" if annotation.get("ignore") else str(annotation.get("text", "")).replace("\n", " ")
                lines.append(",".join(f"{value:.10g}" for value in four) + f",{text}\n")
            target.add(f"{folder}/gt_{name}.txt".lstrip("/"), "".join(lines).encode())
            put_data(target, sample.path, sample, files)
        return tally.notes()


def _regions(sample: Sample, tally: Tally) -> list[tuple[Annotation, list[float]]]:
    """Annotations with an outline, in reading order."""
    found = []
    for annotation in sorted(sample.annotations, key=lambda a: a.get("order", 1 << 30)):
        ring = _ring(annotation)
        if ring is None:
            tally.lost(annotation)
        else:
            found.append((annotation, ring))
    return found


def _ring(annotation: Annotation) -> list[float] | None:
    match annotation["type"]:
        case "box":
            return measure.corners(annotation)
        case "polygon":
            rings: list[list[float]] = annotation["rings"]
            return max(rings, key=polygons.area)
        case "mask":
            height, width = annotation["size"]
            found, _ = polygons.outlines(rle.decode(rle.check(annotation["rle"], height, width), height, width))
            return max(found, key=polygons.area) if found else None
        case _:
            return None


def _paddle_row(annotation: Annotation, ring: list[float]) -> dict[str, Any]:
    points = [[x, y] for x, y in zip(ring[0::2], ring[1::2], strict=True)]
    text = "###" if annotation.get("ignore") else annotation.get("text", "")
    row: dict[str, Any] = {"transcription": text, "points": points, "difficult": bool(annotation.get("ignore"))}
    if annotation.get("label") not in {None, "text"}:
        row["key_cls"] = annotation["label"]
    return row
