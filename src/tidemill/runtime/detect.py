"""Object detection: a picture in, boxes out.

The file's output has a row a cell: left, top, right, bottom in pixels of its input, and a probability for each label.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tidemill.runtime import boxes, pictures
from tidemill.runtime.model import Input, OnnxModel, Prediction

THRESHOLD = 0.4


class Detector(OnnxModel):
    """A model of the `object-detection` algorithm."""

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        read = [pictures.read(item) for item in items]
        spec = self.facts.input
        rows = self.session.run_rows(np.stack([pictures.prepared(picture, spec) for picture in read]))[0]
        level = float(spec.get("threshold", THRESHOLD)) if threshold is None else threshold
        return [self.found(one, picture, level) for one, picture in zip(rows, read, strict=True)]

    def found(self, rows: Any, picture: Any, threshold: float) -> Prediction:
        """What the rows of one picture say."""
        return find_boxes(rows, picture, self.labels, self.facts.input, threshold)


def find_boxes(rows: Any, picture: Any, names: Sequence[str], spec: Mapping[str, Any], threshold: float) -> Prediction:
    """Boxes from a network's rows; of the picture only its size counts."""
    scores = rows[:, 4 : 4 + len(names)]
    chosen = boxes.choose(rows[:, :4], scores, threshold=threshold)
    placed = boxes.in_picture(chosen.boxes, picture, spec)
    return Prediction(
        annotations=boxes.annotations(placed, chosen.labels, chosen.scores, names),
        uncertainty=boxes.uncertainty(chosen.scores.tolist(), float(scores.max(initial=0.0))),
    )
