"""YuNet: faces with five points each (eyes, nose, corners of the mouth)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime import boxes, pictures
from tidemill.runtime.keypoints import skeleton_points
from tidemill.runtime.model import Facts, Input, OnnxModel, Prediction

POINTS = ("right_eye", "left_eye", "nose", "right_mouth", "left_mouth")
THRESHOLD = 0.6
OVERLAP = 0.3
SIDES = ((10, 16, 24), (32, 48), (64, 96), (128, 192, 256))
"""Sides of the squares faces are measured by, at strides 8, 16, 32 and 64."""
_NEAR, _LARGE = 0.1, 0.2
"""How coarsely the network counts places and sizes."""


class YuNet(OnnxModel):
    """Keypoints with their box; boxes alone where the model is there for detection."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        height, width = self.session.inputs[0]["shape"][2:]
        self._spec: dict[str, Any] = {
            "size": [height, width], "fit": "pad", "fill": 0, "channels": "BGR", "layout": "NCHW", "dtype": "float32",
        }  # fmt: skip
        self._priors = priors(height, width)

    @property
    def labels(self) -> list[str]:
        return self.facts.names or ["face"]

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        return [self._faces(pictures.read(item), THRESHOLD if threshold is None else threshold) for item in items]

    def _faces(self, picture: Any, threshold: float) -> Prediction:
        shown = pictures.prepared(picture, self._spec)[None]
        named = dict(zip((one["name"] for one in self.session.outputs), self.session.run_rows(shown), strict=True))
        corners, points, scores = decoded(named["loc"], named["conf"], named["iou"], self._priors)
        height, width = self._spec["size"]
        corners, points = corners * [width, height, width, height], points * [width, height]
        chosen = boxes.choose(corners, scores[:, None], threshold=threshold, overlap=OVERLAP)
        placed = boxes.in_picture(chosen.boxes, picture, self._spec)
        found = boxes.annotations(placed, chosen.labels, chosen.scores, self.labels)
        if self.task == "keypoints":
            scale = boxes.scale_of(picture, self._spec)
            kept = [row for row, box in zip(chosen.rows, placed, strict=True) if box[2] >= 1 and box[3] >= 1]
            for box, row in zip(found, kept, strict=True):
                own = np.column_stack([points[row] * scale, np.ones(len(POINTS))])
                box |= {"type": "keypoints", "points": skeleton_points(own, picture)}
        unsure = boxes.uncertainty(chosen.scores.tolist(), float(scores.max(initial=0.0)))
        return Prediction(annotations=found, uncertainty=unsure)


def priors(height: int, width: int) -> Any:
    """Middle and sides (as shares of the picture) of every square that faces are measured by."""
    rows, columns = (height + 1) // 2 // 2, (width + 1) // 2 // 2
    found = []
    for level, sides in enumerate(SIDES):
        rows, columns = rows // 2, columns // 2
        stride = 8 << level
        for row in range(rows):
            for column in range(columns):
                middle = (column + 0.5) * stride / width, (row + 0.5) * stride / height
                found += [(*middle, side / width, side / height) for side in sides]
    return np.array(found, np.float32)


def decoded(loc: Any, conf: Any, iou: Any, squares: Any) -> tuple[Any, Any, Any]:
    """Boxes (left, top, right, bottom), points and scores; places are shares of the picture."""
    loc, conf, iou = loc.reshape(-1, 14), conf.reshape(-1, 2), iou.reshape(-1)
    scores = np.sqrt(np.clip(conf[:, 1], 0, 1) * np.clip(iou, 0, 1))
    middles = squares[:, :2] + loc[:, :2] * _NEAR * squares[:, 2:]
    sides = squares[:, 2:] * np.exp(loc[:, 2:4] * _LARGE)
    points = squares[:, None, :2] + loc[:, 4:].reshape(-1, 5, 2) * _NEAR * squares[:, None, 2:]
    return np.concatenate([middles - sides / 2, middles + sides / 2], axis=1), points, scores
