"""Mask pictures, written: `images/`, `masks/` with a palette PNG each, and `label_colors.txt`.

Class 0 is the background, the labels follow in their order. Where two annotations overlap, the later one is seen, as on
the screen; boxes are filled.
"""

import io
from collections.abc import Iterable, Sequence
from typing import Any

from tidemill.datasets.formats.base import Annotation, Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.writing import Classes, Names, Tally, is_untouched, put_data, with_fields, with_size
from tidemill.datasets.notes import Note
from tidemill.geometry import measure, polygons, rle
from tidemill.geometry.outline import circle_ring

_MAX_CLASSES = 254


class MaskWriter(Writer):
    """One byte a pixel: up to 254 classes."""

    name = "masks"
    types = frozenset({"mask", "polygon", "box", "circle"})

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,  # noqa: ARG002 — it has none
        files: Opener | None = None,
    ) -> list[Note]:
        tally, names, classes = Tally(self.name), Names(), Classes(labels)
        colours = [label.colour for label in labels]
        for sample in with_size(with_fields(samples, self.fields, tally), tally):
            split = f"{sample.split}/" if sample.split else ""
            name = names.take(f"{split}{sample.path}")
            suffix = sample.path[len(sample.path.rpartition(".")[0]) :] if "." in sample.path else ""
            if not is_untouched(sample):
                target.add(f"masks/{name}.png", _png(sample, classes, tally, colours))
            put_data(target, f"images/{name}{suffix}", sample, files)
        rows = [(0, 0, 0, "background")]
        rows += [(*_colour(place, colours), name) for place, name in enumerate(classes.names())]
        target.add("label_colors.txt", "".join(f"{r} {g} {b} {name}\n" for r, g, b, name in rows).encode())
        return tally.notes()


def _png(sample: Sample, classes: Classes, tally: Tally, colours: list[str | None]) -> bytes:
    import numpy as np
    from PIL import Image

    height, width = sample.height or 1, sample.width or 1
    values = np.zeros((height, width), dtype=np.uint8)
    painted: set[int] = set()
    for annotation in sample.annotations:
        place = classes.place(annotation.get("label"))
        mask = _mask(annotation, height, width) if place < _MAX_CLASSES else None
        if mask is None or mask.shape != values.shape:
            tally.lost(annotation)
            continue
        if annotation["type"] != "mask" or place in painted or values[mask].any():
            tally.count("annotation_painted", annotation["type"])
        painted.add(place)
        values[mask] = place + 1
    image = Image.fromarray(values, "P")
    palette = [0, 0, 0]
    for place in range(min(len(classes.names()), _MAX_CLASSES)):
        palette += _colour(place, colours)
    image.putpalette(palette)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _mask(annotation: Annotation, height: int, width: int) -> Any:
    match annotation["type"]:
        case "mask":
            return rle.decode(rle.check(annotation["rle"], *annotation["size"]), *annotation["size"])
        case "polygon":
            return polygons.fill(annotation["rings"], annotation.get("holes", []), height, width)
        case "box":
            return polygons.fill([measure.corners(annotation)], [], height, width)
        case "circle":
            return polygons.fill([circle_ring(annotation)], [], height, width)
        case _:
            return None


def _colour(place: int, colours: list[str | None]) -> tuple[int, int, int]:
    told = colours[place] if place < len(colours) else None
    if told and len(told) == 7:
        return int(told[1:3], 16), int(told[3:5], 16), int(told[5:7], 16)
    return pascal_colour(place + 1)


def pascal_colour(number: int) -> tuple[int, int, int]:
    """The colour Pascal VOC gives a class: all differ, and everybody knows them."""
    r = g = b = 0
    for bit in range(8):
        r |= (number >> 0 & 1) << (7 - bit)
        g |= (number >> 1 & 1) << (7 - bit)
        b |= (number >> 2 & 1) << (7 - bit)
        number >>= 3
    return r, g, b
