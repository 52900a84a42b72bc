"""Keypoints: a picture in, things with their points out, each in the order of its label's skeleton.

A row a cell, as a detector's, and after the probabilities x, y and visibility of every point.
"""

from typing import Any

import numpy as np
from PIL import Image

from tidemill.runtime import boxes
from tidemill.runtime.detect import Detector
from tidemill.runtime.model import Annotation, Prediction

VISIBLE = 0.5
OVERLAP = 0.6


class KeypointFinder(Detector):
    """A model of the `keypoints` algorithm. Labels have their `skeleton`."""

    def found(self, rows: Any, picture: Image.Image, threshold: float) -> Prediction:
        names = self.labels
        scores, points = rows[:, 4 : 4 + len(names)], rows[:, 4 + len(names) :].reshape(len(rows), -1, 3)
        chosen = boxes.choose(rows[:, :4], scores, threshold=threshold, overlap=OVERLAP)
        placed = boxes.in_picture(chosen.boxes, picture, self.facts.input)
        moved = points[chosen.rows] * [*boxes.scale_of(picture, self.facts.input), 1.0]
        found = boxes.annotations(placed, chosen.labels, chosen.scores, names)
        if len(found) != len(placed):
            kept = (placed[:, 2] >= 1) & (placed[:, 3] >= 1)
            moved = moved[kept]
        marked = [self._marked(box, own, picture) for box, own in zip(found, moved, strict=True)]
        doubt = 1 - float(moved[..., 2].mean()) if len(moved) else 0.0
        unsure = boxes.uncertainty(chosen.scores.tolist(), float(scores.max(initial=0.0)))
        return Prediction(annotations=marked, uncertainty=round(max(unsure, doubt), 6))

    def _marked(self, box: Annotation, points: Any, picture: Image.Image) -> Annotation:
        return box | {"type": "keypoints", "points": skeleton_points(points[: self._count(box["label"])], picture)}

    def _count(self, name: str) -> int:
        label = self.facts.labels[self.labels.index(name)]
        return len((label.get("skeleton") or {}).get("points") or []) or int(label.get("points") or 0) or 1000


def skeleton_points(points: Any, picture: Image.Image, *, visible: float = VISIBLE) -> list[list[float]]:
    """x, y and 2 (visible) or 1 (hidden: placed, but unsure); what lies outside the picture is put on its edge."""
    xs, ys = np.clip(points[:, 0], 0, picture.width), np.clip(points[:, 1], 0, picture.height)
    sure = np.where(points[:, 2] >= visible, 2, 1)
    return [[round(float(x), 2), round(float(y), 2), int(v)] for x, y, v in zip(xs, ys, sure, strict=True)]
