"""How much each of several opinions counts, found out by texts they do not know."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize

Array = Any
MOST = 16.0


def shares(said: Sequence[Array], targets: Array, start: Array, *, is_several: bool) -> Array:
    """Of each opinion, so that together they are surprised least. By few texts `start` is hardly changed."""

    def regret(given: Array) -> float:
        mixed = sum(share * one for share, one in zip(given, said, strict=True))
        return surprise(mixed, targets > 0, is_several=is_several) + float(((given - start) ** 2).sum()) / len(targets)

    found = minimize(regret, start, method="L-BFGS-B", bounds=[(0.0, MOST)] * len(said))
    return found.x.astype(np.float32)


def surprise(said: Array, targets: Array, *, is_several: bool) -> float:
    """How surprising the targets are. Of so many texts one more may be otherwise: few never make sure."""
    otherwise = 1 / (len(targets) + 2)
    if is_several:
        right = np.where(targets, said, -said)
        return float((np.logaddexp(0, -right) + otherwise * right).mean())
    wrong = (said.sum(axis=1) - said[targets]) / max(1, targets.shape[1] - 1)
    meant = (1 - otherwise) * said[targets] + otherwise * wrong
    return float((np.logaddexp.reduce(said, axis=1) - meant).mean())
