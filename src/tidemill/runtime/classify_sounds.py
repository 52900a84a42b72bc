"""Audio classification: a sound in, probabilities of the classes out. Of a long sound the mean over its pieces."""

from collections.abc import Sequence

import numpy as np

from tidemill.runtime import sounds
from tidemill.runtime.classes import SEVERAL, predictions
from tidemill.runtime.model import Input, OnnxModel, Prediction

AT_ONCE = 64


class SoundClassifier(OnnxModel):
    """The file takes samples; its first output has a probability for each label."""

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        spec = self.facts.input
        length = int(spec["rate"] * spec["seconds"])
        pieces = [sounds.windows(sounds.read(item, spec["rate"]), length) for item in items]
        flat = np.concatenate(pieces)
        found = np.concatenate(
            [self.session.run_rows(flat[at : at + AT_ONCE])[0] for at in range(0, len(flat), AT_ONCE)]
        )
        ends = np.cumsum([len(piece) for piece in pieces])
        rows = np.stack([part.mean(axis=0) for part in np.split(found, ends[:-1])])
        is_several = spec.get("classes") == SEVERAL
        return predictions(rows, self.labels, is_several=is_several, threshold=threshold)
