"""Numbers: how far predictions are from what is true."""

from collections.abc import Iterable, Sequence

import numpy as np

from tidemill.evaluation.judging import Judgement, Pair, Worst


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:  # noqa: ARG001
    """Mean absolute error, root of the mean squared error, and the share of variance that is explained."""
    kept = [pair for pair in pairs if pair.true_value is not None and pair.value is not None]
    truth = np.array([pair.true_value for pair in kept], float)
    said = np.array([pair.value for pair in kept], float)
    off = np.abs(said - truth)
    spread = float(np.sum((truth - truth.mean()) ** 2)) if kept else 0.0
    squared = float(np.sum(off**2))
    worst = Worst()
    largest = float(off.max(initial=0.0))
    for pair, distance in zip(kept, off, strict=True):
        worst.add(pair, float(distance) / largest if largest else 0.0, "far_off")
    metrics = {
        "r2": 1 - squared / spread if spread else 0.0,
        "mae": float(off.mean()) if kept else 0.0,
        "rmse": float(np.sqrt(squared / len(kept))) if kept else 0.0,
    }
    return Judgement(items=len(kept), metrics=metrics, primary="r2", worst=worst.listed())
