"""Image classification: a picture in, probabilities of the classes out."""

from collections.abc import Sequence

import numpy as np

from tidemill.runtime import pictures
from tidemill.runtime.classes import SEVERAL, predictions
from tidemill.runtime.model import Input, OnnxModel, Prediction


class ImageClassifier(OnnxModel):
    """The file's first output has a probability for each label."""

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        spec = self.facts.input
        batch = np.stack([pictures.prepared(pictures.read(item), spec) for item in items])
        found = self.session.run_rows(batch)[0]
        is_several = spec.get("classes") == SEVERAL
        return predictions(found, self.labels, is_several=is_several, threshold=threshold)
