"""A text's place in a picture, from corners however they are written."""

import math
import re
from collections.abc import Iterator
from typing import Any

from tidemill.datasets.formats.base import Annotation, Sample
from tidemill.datasets.media import pictures
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source

LABEL = "text"
_UNREADABLE = {"###", "*", "###\r"}
_SPACED = re.compile(r'^\s*((?:-?\d+(?:\.\d+)?\s+){4,})"(.*)"\s*$')


def row_region(line: str) -> Annotation | None:
    """`x1,y1,…,x4,y4,text`, `x1,y1,x2,y2,text` or `x1 y1 x2 y2 "text"`; the text may hold commas. None: no region."""
    line = line.lstrip("\ufeff")
    spaced = _SPACED.match(line)
    if spaced:
        numbers = [float(value) for value in spaced[1].split()]
        # ICDAR's character files have a colour and a centre first; their box is at the end.
        return region(numbers[-4:] if len(numbers) != 8 else numbers, spaced[2], {}, bbox=len(numbers) != 8)
    parts = line.split(",")
    count = 0
    while count < min(len(parts), 8) and _is_number(parts[count]):
        count += 1
    used = 8 if count == 8 else 4
    if count < 4 or len(parts) <= used:
        return None
    text = ",".join(parts[used:]).strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return region([float(value) for value in parts[:used]], text, {}, bbox=used == 4)


def region(
    corners: Any, text: Any, row: dict[str, Any], classes: dict[int, str] | None = None, *, bbox: bool = False
) -> Annotation:
    """A box where the corners are one, else a polygon. `bbox`: four numbers are two opposite corners."""
    flat = [float(v) for point in corners for v in (point if isinstance(point, (list, tuple)) else [point])]
    if len(flat) % 2 or len(flat) < 4 or not all(map(math.isfinite, flat)):
        raise Malformed("no_corners")
    if len(flat) == 4 or bbox:
        x1, y1, x2, y2 = flat[:4]
        flat = [x1, y1, x2, y1, x2, y2, x1, y2]
    annotation: Annotation = {"label": _label(row, classes), **_shape(flat)}
    words = None if text is None else str(text)
    if words in _UNREADABLE or row.get("ignore") is True or row.get("difficult") is True:
        annotation["ignore"] = True
    if words and words not in _UNREADABLE:
        annotation["text"] = words
    return annotation


def _shape(flat: list[float]) -> Annotation:
    xs, ys = flat[0::2], flat[1::2]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    if not (right > left and bottom > top):
        raise Malformed("box_empty")
    is_box = len(flat) == 8 and all(x in {left, right} and y in {top, bottom} for x, y in zip(xs, ys, strict=True))
    if is_box and len({*zip(xs, ys, strict=True)}) == 4:
        return {"type": "box", "x": left, "y": top, "w": right - left, "h": bottom - top}
    return {"type": "polygon", "rings": [flat]}


def _label(row: dict[str, Any], classes: dict[int, str] | None) -> str:
    number = row.get("label")
    if isinstance(number, int) and classes:
        return classes.get(number, str(number))
    if isinstance(number, str) and number:
        return number
    key = row.get("key_cls")
    return key if isinstance(key, str) and key not in {"", "None"} else LABEL


def whole_picture(source: Source, sample: Sample) -> Iterator[Note]:
    """Gives the texts of a whole picture a box around it; several lines one below the other."""
    whole = [a for a in sample.annotations if a["type"] == "whole"]
    if not whole:
        return
    width, height = sample.width, sample.height
    if not (width and height) and isinstance(sample.file, str):
        try:
            with source.open(sample.file) as file:
                width, height = pictures.size(file)
        except OSError as error:
            yield Note("file_unreadable", sample.path, params=why(error))
        except pictures.Unreadable as unreadable:
            yield Note(unreadable.code, sample.path, params=unreadable.params)
    if not (width and height):
        sample.annotations = [a for a in sample.annotations if a["type"] != "whole"]
        yield Note("size_unknown", sample.path)
        return
    sample.width, sample.height = width, height
    for place, annotation in enumerate(whole):
        part = height / len(whole)
        annotation.update({"type": "box", "x": 0.0, "y": place * part, "w": float(width), "h": part})


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
