"""Segmentation: a picture in, a mask (or polygons) for each label out.

The file's output has a probability for each label, and for background where the model knows it, at every place of a
grid over its input, coarser than its pixels.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image

from tidemill.geometry.painting import as_mask, as_polygons
from tidemill.runtime import pictures
from tidemill.runtime.model import Annotation, Input, OnnxModel, Prediction

Array = Any
BAND = 128
"""Rows that are enlarged at a time: pictures may be large and labels many."""


class Segmenter(OnnxModel):
    """A model of the `segmentation` algorithm. `shape` in its `input`: `mask` or `polygon`."""

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        spec = self.facts.input
        read = [pictures.read(item) for item in items]
        grids = self.session.run_rows(np.stack([pictures.prepared(picture, spec) for picture in read]))[0]
        return [
            shapes(grid, picture, self.labels, spec, threshold or 0.0)
            for grid, picture in zip(grids, read, strict=True)
        ]


def shapes(
    grid: Array, picture: Image.Image, names: Sequence[str], spec: Mapping[str, Any], threshold: float
) -> Prediction:
    """What probabilities (label, row, column) say of a picture."""
    classes, sure = enlarged(grid, picture.width, picture.height, spec)
    found: list[Annotation] = []
    for place, name in enumerate(names):
        mask = classes == place
        if not mask.any():
            continue
        score = round(float(sure[mask].mean()), 6)
        if score < threshold:
            continue
        pieces = as_polygons(mask) if spec.get("shape") == "polygon" else [as_mask(mask)]
        found += [piece | {"label": name, "score": score} for piece in pieces]
    return Prediction(annotations=found, uncertainty=round(float(np.clip(1 - sure.mean(), 0, 1)), 6))


def enlarged(grid: Array, width: int, height: int, spec: Mapping[str, Any]) -> tuple[Array, Array]:
    """The likeliest class of every pixel of the picture, and how likely it is."""
    across, down = _used(grid, width, height, spec)
    classes = np.empty((height, width), np.uint8)
    sure = np.empty((height, width), np.float32)
    columns = (np.arange(width) + 0.5) * across / width - 0.5
    for top in range(0, height, BAND):
        rows = (np.arange(top, min(top + BAND, height)) + 0.5) * down / height - 0.5
        band = _between(_between(grid, rows, 1), columns, 2)
        classes[top : top + BAND] = band.argmax(0)
        sure[top : top + BAND] = band.max(0)
    return classes, sure


def _used(grid: Array, width: int, height: int, spec: Mapping[str, Any]) -> tuple[float, float]:
    """How much of the grid the picture takes up: all of it, or less where it has a margin."""
    rows, columns = grid.shape[1:]
    if spec.get("fit") != "pad":
        return columns, rows
    input_height, input_width = spec["size"]
    share = min(input_width / width, input_height / height)
    return width * share * columns / input_width, height * share * rows / input_height


def _between(grid: Array, places: Array, axis: int) -> Array:
    """Values between those of the grid along one axis (linear)."""
    most = grid.shape[axis] - 1
    places = np.clip(places, 0, most)
    low = np.floor(places).astype(np.int64)
    share = (places - low).astype(np.float32)
    shape = [1, 1, 1]
    shape[axis] = len(places)
    share = share.reshape(shape)
    return np.take(grid, low, axis) * (1 - share) + np.take(grid, np.minimum(low + 1, most), axis) * share
