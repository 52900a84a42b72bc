"""DeepLab v3: a class for every pixel, the twenty of PASCAL VOC and background."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime import pictures
from tidemill.runtime.adapters.labels import names_of
from tidemill.runtime.classes import softmax
from tidemill.runtime.model import Facts, Input, OnnxModel, Prediction
from tidemill.runtime.segment import shapes

BACKGROUND = "background"


class DeepLab(OnnxModel):
    """Masks, or polygons where `shape` in its `input` says so."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        _, height, width, _ = self.session.inputs[0]["shape"]
        names = names_of(folder, facts, self.session.outputs[0]["shape"][-1])
        # Background comes last: what is left is what the model was asked for.
        self._order = sorted(range(len(names)), key=lambda place: names[place] == BACKGROUND)
        self._names = [name for name in names if name != BACKGROUND]
        self._spec: dict[str, Any] = {
            "size": [height, width], "fit": "stretch", "layout": "NHWC", "dtype": "float32", "scale": 127.5,
            "mean": [1.0] * 3, "std": [1.0] * 3, "shape": facts.input.get("shape", "mask"),
        }  # fmt: skip

    @property
    def labels(self) -> list[str]:
        return self._names

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        found = []
        for item in items:
            picture = pictures.read(item)
            numbers = self.session.run_rows(pictures.prepared(picture, self._spec)[None])[0][0]
            grid = softmax(numbers[..., self._order]).transpose(2, 0, 1)
            found.append(shapes(np.ascontiguousarray(grid), picture, self._names, self._spec, threshold or 0.0))
        return found
