"""MoveNet: the seventeen points of one person, the most prominent one in the picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime import boxes, pictures
from tidemill.runtime.keypoints import skeleton_points
from tidemill.runtime.model import Annotation, Facts, Input, OnnxModel, Prediction

POINTS = (
    "nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
    "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
    "right_ankle",
)  # fmt: skip
VISIBLE = 0.2
"""From here on a point of this model is rather there than not."""


class MoveNet(OnnxModel):
    """Its output has y, x (of the padded square, 0 to 1) and a score for each point."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        _, height, width, _ = self.session.inputs[0]["shape"]
        self._spec: dict[str, Any] = {
            "size": [height, width], "fit": "pad", "fill": 0, "layout": "NHWC", "dtype": "uint8",
        }  # fmt: skip

    @property
    def labels(self) -> list[str]:
        return self.facts.names or ["person"]

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        return [self._person(pictures.read(item), VISIBLE if threshold is None else threshold) for item in items]

    def _person(self, picture: Any, threshold: float) -> Prediction:
        height, width = self._spec["size"]
        rows = self.session.run_rows(pictures.prepared(picture, self._spec)[None])[0].reshape(-1, 3)
        across, down = boxes.scale_of(picture, self._spec)
        points = np.stack([rows[:, 1] * width * across, rows[:, 0] * height * down, rows[:, 2]], axis=1)
        score = float(np.clip(points[:, 2].mean(), 0, 1))
        if score < threshold:
            return Prediction(uncertainty=boxes.uncertainty([], score))
        return Prediction(annotations=[self._marked(points, score, picture)], uncertainty=round(1 - score, 6))

    def _marked(self, points: Any, score: float, picture: Any) -> Annotation:
        sure = points[points[:, 2] >= VISIBLE] if (points[:, 2] >= VISIBLE).any() else points
        left, top = np.clip(sure[:, :2].min(axis=0), 0, picture.size)
        right, bottom = np.clip(sure[:, :2].max(axis=0), 0, picture.size)
        around = {"x": left, "y": top, "w": right - left, "h": bottom - top}
        return {
            "type": "keypoints",
            "label": self.labels[0],
            "points": skeleton_points(points, picture, visible=VISIBLE),
            **{side: round(float(value), 2) for side, value in around.items()},
            "score": round(score, 6),
        }
