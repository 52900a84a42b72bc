"""MobileNet as TensorFlow Lite quantised it: bytes in, bytes out, one for each class of ImageNet and one for none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime import pictures
from tidemill.runtime.adapters.labels import names_of
from tidemill.runtime.classes import predictions
from tidemill.runtime.model import Facts, Input, OnnxModel, Prediction

BACKGROUND = "background"


class MobileNet(OnnxModel):
    """Classes of whole pictures. A picture of nothing the model knows is told by its low scores."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        _, height, width, _ = self.session.inputs[0]["shape"]
        names = names_of(folder, facts, self.session.outputs[0]["shape"][-1])
        self._shown = [place for place, name in enumerate(names) if name != BACKGROUND]
        self._names = [names[place] for place in self._shown]
        self._spec: dict[str, Any] = {"size": [height, width], "fit": "stretch", "layout": "NHWC", "dtype": "uint8"}

    @property
    def labels(self) -> list[str]:
        return self._names

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        batch = np.stack([pictures.prepared(pictures.read(item), self._spec) for item in items])
        found = self.session.run_rows(batch)[0]
        scale = 255.0 if found.dtype == np.uint8 else 1.0
        return predictions(found[:, self._shown] / scale, self._names, threshold=threshold)
