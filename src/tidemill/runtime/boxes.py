"""Boxes from a network's rows: the sure ones, one of those that lie on each other, in the picture's own pixels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tidemill.evaluation.overlaps import of_boxes
from tidemill.runtime.model import Annotation

Array = Any
LEAST = 0.01
"""What is less sure is never looked at."""
CANDIDATES = 1000
MOST = 300
OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """Of one picture: boxes (x, y, w, h), their labels' numbers, scores, and the rows they came from."""

    boxes: Array
    labels: Array
    scores: Array
    rows: Array


def choose(
    boxes: Array, scores: Array, *, threshold: float, overlap: float = OVERLAP, most: int = MOST, alone: bool = False
) -> Found:
    """The best of boxes (left, top, right, bottom) with a score a label; the surest first.

    Of two of the same label that overlap more than that the surer one stays; with `alone` of any label.
    """
    rows, labels = np.nonzero(scores >= max(threshold, LEAST))
    sure = scores[rows, labels]
    order = np.argsort(-sure, kind="stable")[:CANDIDATES]
    rows, labels, sure = rows[order], labels[order], sure[order].astype(np.float64)
    sides = boxes[rows].astype(np.float64)
    sides[:, 2:] = np.maximum(sides[:, 2:] - sides[:, :2], 0)
    kept = _without_doubles(sides, np.zeros_like(labels) if alone else labels, overlap)[:most]
    return Found(sides[kept], labels[kept], sure[kept], rows[kept])


def scale_of(picture: Any, spec: Mapping[str, Any]) -> tuple[float, float]:
    """By how much the network's pixels are to be multiplied (across, down) to be the picture's."""
    height, width = spec["size"]
    if spec.get("fit") == "stretch":
        return picture.width / width, picture.height / height
    share = max(picture.width / width, picture.height / height)
    return share, share


def in_picture(boxes: Array, picture: Any, spec: Mapping[str, Any]) -> Array:
    """Boxes (x, y, w, h) in the picture's pixels, cut at its edges."""
    across, down = scale_of(picture, spec)
    moved = boxes * [across, down, across, down]
    left, top = np.clip(moved[:, 0], 0, picture.width), np.clip(moved[:, 1], 0, picture.height)
    right = np.clip(moved[:, 0] + moved[:, 2], 0, picture.width)
    bottom = np.clip(moved[:, 1] + moved[:, 3], 0, picture.height)
    return np.stack([left, top, right - left, bottom - top], axis=1)


def annotations(boxes: Array, labels: Array, scores: Array, names: Sequence[str]) -> list[Annotation]:
    """Box annotations; boxes of which nothing is in the picture are left out."""
    return [
        {
            "type": "box",
            "label": names[int(label)],
            **{side: round(float(value), 2) for side, value in zip("xywh", box, strict=True)},
            "score": round(float(score), 6),
        }
        for box, label, score in zip(boxes, labels, scores, strict=True)
        if box[2] >= 1 and box[3] >= 1
    ]


def uncertainty(scores: Sequence[float], best: float = 0.0) -> float:
    """How unsure what was found is, all in all: near one half means nobody knows. `best`: of what was left out."""
    sure = np.asarray([score for score in scores if score >= 0.1] or [best], dtype=np.float64)
    doubt = 1 - np.abs(2 * sure - 1)
    return round(float(np.clip((doubt * sure).sum() / max(sure.sum(), 1e-9), 0, 1)), 6)


def _without_doubles(boxes: Array, labels: Array, overlap: float) -> Array:
    """Places of those that stay (boxes are x, y, w, h, the surest first)."""
    left = np.arange(len(boxes))
    kept = []
    while len(left):
        first, left = left[0], left[1:]
        kept.append(first)
        same = labels[left] == labels[first]
        doubles = same & (of_boxes(boxes[left], boxes[first : first + 1])[:, 0] > overlap)
        left = left[~doubles]
    return np.array(kept, dtype=np.int64)
