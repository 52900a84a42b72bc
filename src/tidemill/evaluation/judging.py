"""What is compared, and what comes of it."""

import heapq
from dataclasses import dataclass, field
from typing import Any

Annotation = dict[str, Any]
WORST_MAX = 50


@dataclass(frozen=True, slots=True)
class Pair:
    """An item: what is true of it and what a model says. Annotations call labels by name."""

    seq: int
    path: str
    truth: list[Annotation]
    predicted: list[Annotation]
    width: int | None = None
    height: int | None = None
    probabilities: dict[str, float] | None = None
    """Of each class, where the model gives them."""
    true_value: float | None = None
    """Where a number is predicted."""
    value: float | None = None
    error: str | None = None
    """Why the model could say nothing."""


@dataclass
class Judgement:
    """How good the predictions are. What a task does not have stays empty."""

    items: int
    metrics: dict[str, float]
    primary: str
    classes: list[dict[str, Any]] = field(default_factory=list)
    confusion: dict[str, Any] | None = None
    """`labels` and `counts`: rows are what is true, columns what was predicted."""
    curves: dict[str, Any] = field(default_factory=dict)
    thresholds: list[dict[str, float]] = field(default_factory=list)
    worst: list[dict[str, Any]] = field(default_factory=list)


class Worst:
    """Keeps the items that went worst, the worst first."""

    def __init__(self, keep: int = WORST_MAX) -> None:
        self._keep = keep
        self._heap: list[tuple[float, int, dict[str, Any]]] = []

    def add(self, pair: Pair, badness: float, why: str) -> None:
        """Notes an item; `badness` is 0 (nothing wrong) to 1, `why` a code that pages have words for."""
        if badness <= 0:
            return
        entry = {
            "seq": pair.seq,
            "path": pair.path,
            "badness": round(min(1.0, badness), 6),
            "why": why,
            "truth": pair.truth,
            "predicted": pair.predicted,
        }
        if pair.true_value is not None and pair.value is not None:
            entry |= {"true_value": pair.true_value, "value": pair.value}
        # Of two that are as bad the one that came first is kept: the list must not depend on chance.
        key = (badness, -pair.seq, entry)
        if len(self._heap) < self._keep:
            heapq.heappush(self._heap, key)
        elif key[:2] > self._heap[0][:2]:
            heapq.heapreplace(self._heap, key)

    def listed(self) -> list[dict[str, Any]]:
        return [entry for _, _, entry in sorted(self._heap, key=lambda kept: (-kept[0], -kept[1]))]
