"""What an annotation file says of a picture, against the picture itself.

The picture is right. Where its stored pixels lie on their side and the annotations were made on those, they are turned
upright with it; where it has another size in the same shape, they are scaled; what is outside is cut or dropped.
"""

from tidemill.datasets.formats.base import Annotation, Sample
from tidemill.datasets.formats.writing import PLACES
from tidemill.datasets.media.pictures import Picture
from tidemill.datasets.notes import Note
from tidemill.geometry import measure
from tidemill.geometry.changes import Crop, Flips, Resize, apply, upright

_SLACK = 1.0
"""Pixels an annotation may be outside: rounding, and formats that count from 1."""


def fit(sample: Sample, picture: Picture, flips: Flips | None = None) -> list[Note]:
    """Changes the sample's annotations to fit the picture, sets its size, and says what was changed."""
    notes: list[Note] = []
    told = (sample.width, sample.height)
    real = (picture.width, picture.height)
    sample.width, sample.height = real
    if not any(annotation["type"] in PLACES for annotation in sample.annotations):
        return notes
    if told[0] and told[1] and told != real:
        _resize(sample, (told[0], told[1]), picture, notes, flips)
    _keep_inside(sample, notes)
    return notes


def _resize(sample: Sample, told: tuple[int, int], picture: Picture, notes: list[Note], flips: Flips | None) -> None:
    size, real = told, (picture.width, picture.height)
    params = {"told": f"{told[0]}x{told[1]}", "real": f"{real[0]}x{real[1]}"}
    if size == picture.stored_size:
        for change in upright(picture.orientation):
            sample.annotations, size, _ = apply(change, sample.annotations, size, flips)
        notes.append(Note("turned_upright", sample.path, level="info"))
        return
    if abs(told[0] * real[1] - told[1] * real[0]) <= 0.02 * told[0] * real[1]:
        sample.annotations, _, _ = apply(Resize(*real), sample.annotations, told, flips)
        notes.append(Note("scaled_to_picture", sample.path, level="changed", params=params))
        return
    notes.append(Note("size_differs", sample.path, level="changed", params=params))


def _keep_inside(sample: Sample, notes: list[Note]) -> None:
    width, height = sample.width or 0, sample.height or 0
    kept: list[Annotation] = []
    cut = 0
    for annotation in sample.annotations:
        if not _is_outside(annotation, width, height):
            kept.append(annotation)
            continue
        found, _, gone = apply(Crop(0, 0, width, height), [annotation], (width, height))
        cut += not gone
        if gone:
            notes.append(Note("annotation_outside", sample.path, params={"id": annotation.get("id", "")}))
        for part in found:
            # It was never whole in this picture: nothing was cut off that could be seen.
            if not annotation.get("truncated"):
                part.pop("truncated", None)
        kept += found
    sample.annotations = kept
    if cut:
        notes.append(Note("annotations_cut", sample.path, level="changed", params={"count": cut}))


def _is_outside(annotation: Annotation, width: int, height: int) -> bool:
    if annotation["type"] == "mask":
        return bool(annotation["size"] != [height, width])
    if annotation.get("angle"):
        return False
    bounds = measure.bounds(annotation)
    if bounds is None:
        return False
    x, y, w, h = bounds
    return x < -_SLACK or y < -_SLACK or x + w > width + _SLACK or y + h > height + _SLACK
