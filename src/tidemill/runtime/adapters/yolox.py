"""YOLOX: boxes of the labels it was trained with, most often the eighty of COCO.

Its rows are not in pixels yet: a cell's x and y are shares of the cell, width and height logarithms of cells.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime import boxes, pictures
from tidemill.runtime.adapters.labels import names_of
from tidemill.runtime.model import Facts, Input, OnnxModel, Prediction

STRIDES = (8, 16, 32)
THRESHOLD = 0.35
OVERLAP = 0.45
BEFORE_LABELS = 5
"""x, y, w, h, objectness."""


class Yolox(OnnxModel):
    """Any size of the family; the file says how large its pictures are."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        height, width = self.session.inputs[0]["shape"][2:]
        self._names = names_of(folder, facts, self.session.outputs[0]["shape"][2] - BEFORE_LABELS)
        self._spec: dict[str, Any] = {
            "size": [height, width], "fit": "pad", "fill": 114, "channels": "BGR", "layout": "NCHW", "dtype": "float32",
        }  # fmt: skip
        self._cells, self._strides = cells(height, width)

    @property
    def labels(self) -> list[str]:
        return self._names

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        read = [pictures.read(item) for item in items]
        found = []
        for picture in read:
            rows = self.session.run_rows(pictures.prepared(picture, self._spec)[None])[0][0]
            found.append(self._decoded(rows, picture, THRESHOLD if threshold is None else threshold))
        return found

    def _decoded(self, rows: Any, picture: Any, threshold: float) -> Prediction:
        middles = (rows[:, :2] + self._cells) * self._strides
        sides = np.exp(rows[:, 2:4]) * self._strides
        corners = np.concatenate([middles - sides / 2, middles + sides / 2], axis=1)
        scores = rows[:, 4:5] * rows[:, BEFORE_LABELS:]
        chosen = boxes.choose(corners, scores, threshold=threshold, overlap=OVERLAP)
        placed = boxes.in_picture(chosen.boxes, picture, self._spec)
        return Prediction(
            annotations=boxes.annotations(placed, chosen.labels, chosen.scores, self._names),
            uncertainty=boxes.uncertainty(chosen.scores.tolist(), float(scores.max(initial=0.0))),
        )


def cells(height: int, width: int) -> tuple[Any, Any]:
    """Column and row of every cell of every scale, and its stride."""
    places, steps = [], []
    for stride in STRIDES:
        rows, columns = np.mgrid[0 : height // stride, 0 : width // stride]
        grid = np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float32)
        places.append(grid)
        steps.append(np.full((len(grid), 1), stride, np.float32))
    return np.concatenate(places), np.concatenate(steps)
