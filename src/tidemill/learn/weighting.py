"""Weights of classes: what is rare counts more."""

from collections.abc import Sequence

import torch


def class_weights(counts: Sequence[int], kind: str = "balanced") -> torch.Tensor | None:
    """A weight a class with mean 1 over items; None where all count the same (`none`).

    `balanced`: every class counts as much as every other; `root`: half way.
    """
    if kind in {"", "none"}:
        return None
    often = torch.tensor(counts, dtype=torch.float32).clamp(min=1)
    weights = 1 / (often if kind == "balanced" else often.sqrt())
    return weights * often.sum() / (weights * often).sum()
