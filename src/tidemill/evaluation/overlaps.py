"""How much two shapes have in common: boxes and masks by area, keypoints by distance (OKS)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COCO_PERSON = (26, 25, 25, 35, 35, 79, 79, 72, 72, 62, 62, 107, 107, 87, 87, 89, 89)
"""How far apart people mark the points of a person, in thousandths of its size: nose, eyes, ears, … ankles."""
OTHER_POINTS = 0.05
"""The same for points that nobody has measured it for."""


def of_boxes(found: Floats, there: Floats, crowd: NDArray[np.bool_] | None = None) -> Floats:
    """Intersection over union of boxes x, y, w, h; over the find's own area where the truth is a crowd."""
    if not len(found) or not len(there):
        return np.zeros((len(found), len(there)))
    left = np.maximum(found[:, None, 0], there[None, :, 0])
    top = np.maximum(found[:, None, 1], there[None, :, 1])
    right = np.minimum(found[:, None, 0] + found[:, None, 2], there[None, :, 0] + there[None, :, 2])
    bottom = np.minimum(found[:, None, 1] + found[:, None, 3], there[None, :, 1] + there[None, :, 3])
    common = np.clip(right - left, 0, None) * np.clip(bottom - top, 0, None)
    own = (found[:, 2] * found[:, 3])[:, None]
    union = own + (there[:, 2] * there[:, 3])[None, :] - common
    if crowd is not None:
        union = np.where(crowd[None, :], own, union)
    return np.asarray(np.divide(common, union, out=np.zeros_like(common), where=union > 0))


def of_keypoints(found: Floats, there: Floats, areas: Floats, boxes: Floats, sigmas: Sequence[float]) -> Floats:
    """Object keypoint similarity. Points are x, y, v; of a truth without visible points its box (x, y, w, h) counts."""
    overlaps = np.zeros((len(found), len(there)))
    variances = (2 * np.asarray(sigmas)) ** 2
    for place, truth in enumerate(there):
        seen = truth[:, 2] > 0
        if seen.any():
            dx, dy = found[:, :, 0] - truth[:, 0], found[:, :, 1] - truth[:, 1]
        else:
            x, y, w, h = boxes[place]
            dx, dy = _beyond(found[:, :, 0], x - w, x + 2 * w), _beyond(found[:, :, 1], y - h, y + 2 * h)
        error = (dx**2 + dy**2) / variances / (areas[place] + np.spacing(1)) / 2
        if seen.any():
            error = error[:, seen]
        overlaps[:, place] = np.exp(-error).mean(axis=1)
    return overlaps


def sigmas_of(count: int) -> list[float]:
    """How strictly each point is judged: seventeen are taken for those of a person (animals' are much the same)."""
    if count == len(COCO_PERSON):
        return [value / 1000 for value in COCO_PERSON]
    return [OTHER_POINTS] * count


def _beyond(values: Floats, low: float, high: float) -> Floats:
    return np.asarray(np.maximum(0, np.maximum(low - values, values - high)))
