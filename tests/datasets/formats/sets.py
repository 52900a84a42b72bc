"""Small sets to write and read, and how to compare them."""

import io
import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any, BinaryIO

import numpy as np
from PIL import Image

from tidemill.datasets import formats
from tidemill.datasets.formats.base import Annotation, Label, Sample
from tidemill.datasets.formats.targets import MemoryTarget
from tidemill.datasets.notes import Note
from tidemill.datasets.sources import MemorySource, Source
from tidemill.geometry import rle

W, H = 64, 48


@cache
def picture(number: int = 0, size: tuple[int, int] = (W, H), format: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (number * 37 % 256, 90, 200)).save(out, format)
    return out.getvalue()


def mask_text(height: int = H, width: int = W) -> str:
    mask = np.zeros((height, width), dtype=bool)
    mask[5:20, 8:30] = True
    mask[10:15, 12:18] = False
    return rle.text_of(rle.encode(mask))


BOX: Annotation = {"type": "box", "label": "cat", "x": 4.5, "y": 6.25, "w": 20.0, "h": 10.5}
TURNED: Annotation = BOX | {"angle": 30.0}
POLYGON: Annotation = {"type": "polygon", "label": "dog", "rings": [[2.0, 2.0, 30.0, 4.0, 20.0, 30.5]]}
PARTS: Annotation = {
    "type": "polygon",
    "label": "dog",
    "rings": [[2.0, 2.0, 9.0, 2.0, 9.0, 9.0], [20.0, 20.0, 30.0, 20.0, 30.0, 31.0]],
}
HOLE = [8.0, 8.0, 16.0, 8.0, 16.0, 16.0, 8.0, 16.0]
HOLED: Annotation = {
    "type": "polygon", "label": "dog", "rings": [[2.0, 2.0, 30.0, 2.0, 30.0, 30.0, 2.0, 30.0], HOLE], "holes": [1],
}  # fmt: skip
MASK: Annotation = {"type": "mask", "label": "cat", "size": [H, W], "rle": mask_text()}
POINTS: Annotation = {"type": "keypoints", "label": "person", "points": [[5.0, 6.0, 2], [9.0, 6.5, 1], [0, 0, 0]],
                      "x": 3.0, "y": 4.0, "w": 10.0, "h": 20.0}  # fmt: skip
LINE: Annotation = {"type": "polyline", "label": "dog", "points": [1.0, 2.0, 30.0, 20.0, 40.0, 2.0]}
POINT: Annotation = {"type": "point", "label": "cat", "x": 5.0, "y": 7.0}
CIRCLE: Annotation = {"type": "circle", "label": "cat", "x": 20.0, "y": 20.0, "r": 5.0}
CLASS: Annotation = {"type": "class", "label": "cat"}
OTHER_CLASS: Annotation = {"type": "class", "label": "dog"}
SEGMENT: Annotation = {"type": "segment", "label": "cat", "start": 0.5, "end": 1.25, "text": "miau"}
TEXT: Annotation = {
    "type": "box",
    "label": "text",
    "x": 4.0,
    "y": 6.0,
    "w": 20.0,
    "h": 10.0,
    "text": "潮汐, “mill”",
    "order": 1,
}
WORD: Annotation = {
    "type": "polygon",
    "label": "text",
    "rings": [[2.0, 2.0, 30.0, 4.0, 29.0, 14.0, 1.0, 12.0]],
    "text": "a,b",
    "order": 2,
}
ILLEGIBLE: Annotation = {
    "type": "box",
    "label": "text",
    "x": 40.0,
    "y": 6.0,
    "w": 9.0,
    "h": 8.0,
    "ignore": True,
    "order": 3,
}
SKELETON = {"points": ["left_eye", "right_eye", "nose"], "edges": [[0, 2], [1, 2]], "flips": [[0, 1]]}
LABELS = [Label("cat", colour="#ff0000"), Label("dog", colour="#00ff00"), Label("person", skeleton=SKELETON)]


def sample(number: int, *annotations: Annotation, split: str | None = None, suffix: str = ".png") -> Sample:
    numbered = [
        a | {"id": str(place)} | ({"order": place} if "order" in a else {}) for place, a in enumerate(annotations, 1)
    ]
    return Sample(f"sub/img{number}{suffix}", picture(number), numbered, W, H, split=split, state="labelled")


def opener(given: Sample) -> BinaryIO:
    assert isinstance(given.file, bytes)
    return io.BytesIO(given.file)


def written(
    name: str, samples: Sequence[Sample], labels: Sequence[Label] = LABELS, **options: Any
) -> tuple[dict[str, bytes], list[Note]]:
    target = MemoryTarget()
    notes = formats.writer(name).write(labels, samples, target, options, opener)
    return target.files, notes


def read(name: str, source: Source | dict[str, bytes], **options: Any) -> tuple[list[Label], list[Sample], list[Note]]:
    source = MemorySource(source) if isinstance(source, dict) else source
    found = list(formats.reader(name).read(source, options))
    labels = [f for f in found if isinstance(f, Label)]
    samples = [f for f in found if isinstance(f, Sample)]
    notes = [f for f in found if isinstance(f, Note)]
    known = {label.name for label in labels}
    assert len(known) == len(labels), "a label comes once"
    assert {a["label"] for s in samples for a in s.annotations if "label" in a} <= known, "labels come before their use"
    assert len({s.path for s in samples}) == len(samples), "an item comes once"
    for note in notes:
        assert "{" not in note.words("en"), note
        assert note.words("zh-CN")
    return labels, samples, notes


def plain(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Without ids and rounded, in an order of their own."""
    return sorted((_rounded({k: v for k, v in a.items() if k != "id"}) for a in annotations), key=repr)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return round(float(value), 2) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def by_name(samples: Sequence[Sample]) -> dict[str, list[Annotation]]:
    """Annotations by the file's bare name: formats move files into folders of their own."""
    named = {s.path.rpartition("/")[2].rpartition(".")[0]: plain(s.annotations) for s in samples}
    assert len(named) == len(samples)
    return named


def every(*annotations: Annotation) -> list[Sample]:
    """A sample with all, one with each, one with none."""
    singles = itertools.count(1)
    return [sample(0, *annotations), *(sample(next(singles), a, split="val") for a in annotations), sample(90)]
