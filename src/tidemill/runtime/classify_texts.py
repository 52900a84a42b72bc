"""Text classification: a text in, probabilities of the classes out."""

from collections.abc import Sequence

from tidemill.runtime import text_features
from tidemill.runtime.classes import SEVERAL, predictions
from tidemill.runtime.content import text
from tidemill.runtime.model import Input, OnnxModel, Prediction


class TextClassifier(OnnxModel):
    """The file takes places and weights of hashed pieces and the beginning in order, and gives probabilities."""

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        how = self.facts.input
        found = self.session.run_rows(*text_features.arrays([text(item) for item in items], how))[0]
        is_several = how.get("classes") == SEVERAL
        return predictions(found, self.labels, is_several=is_several, threshold=threshold)
