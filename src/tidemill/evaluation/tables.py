"""Rows of tables: of which class they are, or what number belongs to them."""

from collections.abc import Iterable, Sequence

from tidemill.evaluation import classification, regression
from tidemill.evaluation.judging import Judgement, Pair


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:
    """As classes where the model has labels, else as numbers."""
    if labels:
        return classification.judge(pairs, labels, threshold=threshold)
    return regression.judge(pairs, labels, threshold=threshold)
