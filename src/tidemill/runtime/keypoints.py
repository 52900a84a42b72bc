"""Keypoints: a picture in, things with their points out, each in the order of its label's skeleton.

A row a cell, as a detector's, and after the probabilities x, y and visibility of every point.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tidemill.runtime import boxes
from tidemill.runtime.detect import Detector
from tidemill.runtime.model import Prediction

VISIBLE = 0.5
OVERLAP = 0.6


class KeypointFinder(Detector):
    """A model of the `keypoints` algorithm. Labels have their `skeleton`."""

    def found(self, rows: Any, picture: Any, threshold: float) -> Prediction:
        return find_points(rows, picture, self.facts.labels, self.facts.input, threshold)


def find_points(
    rows: Any, picture: Any, labels: Sequence[Mapping[str, Any]], spec: Mapping[str, Any], threshold: float
) -> Prediction:
    """Things with their points from a network's rows; of the picture only its size counts."""
    names = [str(label["name"]) for label in labels]
    scores, points = rows[:, 4 : 4 + len(names)], rows[:, 4 + len(names) :].reshape(len(rows), -1, 3)
    chosen = boxes.choose(rows[:, :4], scores, threshold=threshold, overlap=OVERLAP)
    placed = boxes.in_picture(chosen.boxes, picture, spec)
    moved = points[chosen.rows] * [*boxes.scale_of(picture, spec), 1.0]
    inside = (placed[:, 2] >= 1) & (placed[:, 3] >= 1)
    found = boxes.annotations(placed[inside], chosen.labels[inside], chosen.scores[inside], names)
    for one, label, own in zip(found, chosen.labels[inside], moved[inside], strict=True):
        one |= {"type": "keypoints", "points": skeleton_points(own[: count_of(labels[int(label)])], picture)}
    doubt = 1 - float(moved[inside][..., 2].mean()) if inside.any() else 0.0
    unsure = boxes.uncertainty(chosen.scores.tolist(), float(scores.max(initial=0.0)))
    return Prediction(annotations=found, uncertainty=round(max(unsure, doubt), 6))


def count_of(label: Mapping[str, Any]) -> int | None:
    """How many points a label's skeleton has; None where nobody says."""
    named = (label.get("skeleton") or {}).get("points") or []
    return len(named) or label.get("points")


def skeleton_points(points: Any, picture: Any, *, visible: float = VISIBLE) -> list[list[float]]:
    """x, y and 2 (visible) or 1 (hidden: placed, but unsure); what lies outside the picture is put on its edge."""
    xs, ys = np.clip(points[:, 0], 0, picture.width), np.clip(points[:, 1], 0, picture.height)
    sure = np.where(points[:, 2] >= visible, 2, 1)
    return [[round(float(x), 2), round(float(y), 2), int(v)] for x, y, v in zip(xs, ys, sure, strict=True)]
