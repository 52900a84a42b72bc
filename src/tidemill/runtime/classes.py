"""From numbers to classes: what every classifier says in the end."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tidemill.runtime.model import Prediction

Array = Any
SEVERAL = "several"
"""Value of `classes` in a model's `input`: any number of classes; else exactly one."""


def predictions(
    rows: Array, names: Sequence[str], *, is_several: bool = False, threshold: float | None = None
) -> list[Prediction]:
    """What probabilities (a row an item, a column a class) say."""
    made = several if is_several else single
    return [made(row, names, threshold) for row in np.asarray(rows, dtype=np.float64)]


def single(row: Array, names: Sequence[str], threshold: float | None = None) -> Prediction:  # noqa: ARG001
    """The likeliest class. Always one: who wants only sure answers looks at the score."""
    order = np.argsort(-row, kind="stable")
    best = int(order[0])
    second = float(row[order[1]]) if len(order) > 1 else 0.0
    return Prediction(
        annotations=[{"type": "class", "label": names[best], "score": round(float(row[best]), 6)}],
        probabilities=_by_name(row, names),
        uncertainty=round(float(np.clip(1 - (row[best] - second), 0, 1)), 6),
    )


def several(row: Array, names: Sequence[str], threshold: float | None = None) -> Prediction:
    """Every class from the threshold on (one half, unless told)."""
    level = 0.5 if threshold is None else threshold
    chosen = [at for at in np.argsort(-row, kind="stable") if row[at] >= level]
    return Prediction(
        annotations=[{"type": "class", "label": names[at], "score": round(float(row[at]), 6)} for at in chosen],
        probabilities=_by_name(row, names),
        uncertainty=round(float(np.max(1 - np.abs(2 * row - 1), initial=0.0)), 6),
    )


def softmax(logits: Array) -> Array:
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _by_name(row: Array, names: Sequence[str]) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names, row, strict=True)}
