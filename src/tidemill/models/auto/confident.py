"""Labels that are likely wrong, from what a model thinks of labelled items. Pure functions.

Classes are judged as in confident learning: an item is doubted when the model gives another class at least the
probability that it usually gives items which have that class. Boxes are judged by what lies over what.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ENOUGH = 0.9
"""A class of this probability is seen, however sure the model usually is of it."""
SURE = 0.7
"""A box the model is so sure of should be there."""
BLIND = 0.1
"""A box of which the model sees less than this is doubted."""
SAME_PLACE, TOUCHING, ELSEWHERE = 0.7, 0.1, 0.3


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled item of one class: what it has, and what the model thinks, by labels' numbers."""

    seq: int
    revision: int
    given: int
    probabilities: Mapping[int, float]
    annotation_id: str | None = None


@dataclass(frozen=True, slots=True)
class LabelError:
    seq: int
    revision: int
    kind: str
    score: float
    given: int | None = None
    predicted: int | None = None
    about: dict[str, Any] = field(default_factory=dict)


class Usual:
    """How probable the model usually finds each class, where it is given: learnt item by item."""

    def __init__(self) -> None:
        self._sums: dict[int, float] = {}
        self._counts: dict[int, int] = {}

    def add(self, one: Judged) -> None:
        self._sums[one.given] = self._sums.get(one.given, 0.0) + one.probabilities.get(one.given, 0.0)
        self._counts[one.given] = self._counts.get(one.given, 0) + 1

    def thresholds(self) -> dict[int, float]:
        return {label: min(ENOUGH, self._sums[label] / count) for label, count in self._counts.items()}


def find_class_errors(items: Iterable[Judged], usual: Usual) -> list[LabelError]:
    """The surest first."""
    thresholds = usual.thresholds()
    found = [error for one in items if (error := _class_error(one, thresholds)) is not None]
    return sorted(found, key=lambda error: (-error.score, error.seq))


def _class_error(one: Judged, thresholds: Mapping[int, float]) -> LabelError | None:
    own = one.probabilities.get(one.given, 0.0)
    better = [
        (probability, label)
        for label, probability in one.probabilities.items()
        if label != one.given and probability > own and probability >= thresholds.get(label, 1.0)
    ]
    if not better:
        return None
    probability, label = max(better)
    about = {"id": one.annotation_id} if one.annotation_id else {}
    return LabelError(one.seq, one.revision, "class", min(1.0, probability - own), one.given, label, about)


def find_box_errors(
    seq: int, revision: int, given: Sequence[Mapping[str, Any]], predicted: Sequence[Mapping[str, Any]]
) -> list[LabelError]:
    """Of one item, at most one of each kind: the surest. Labels are numbers; `predicted` has the unsure ones, too."""
    best: dict[str, LabelError] = {}

    def note(error: LabelError) -> None:
        if error.kind not in best or best[error.kind].score < error.score:
            best[error.kind] = error

    for one in predicted:
        score = float(one.get("score", 0.0))
        if score < SURE:
            continue
        over = max(given, key=lambda each: overlap(each, one), default=None)
        share = overlap(over, one) if over is not None else 0.0
        if share < ELSEWHERE:
            note(LabelError(seq, revision, "missing", score, None, one["label"], {"annotation": dict(one)}))
        elif share >= SAME_PLACE and over is not None and over["label"] != one["label"]:
            about = {"id": over.get("id"), "annotation": dict(one)}
            note(LabelError(seq, revision, "class", score, over["label"], one["label"], about))
    for each in given:
        seen = max((float(one.get("score", 0.0)) for one in predicted if overlap(each, one) >= TOUCHING), default=0.0)
        if seen < BLIND:
            note(LabelError(seq, revision, "extra", 1 - seen, each["label"], None, {"id": each.get("id")}))
    return list(best.values())


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Intersection over union of two upright boxes."""
    wide = min(one["x"] + one["w"], other["x"] + other["w"]) - max(one["x"], other["x"])
    high = min(one["y"] + one["h"], other["y"] + other["h"]) - max(one["y"], other["y"])
    if wide <= 0 or high <= 0:
        return 0.0
    both = wide * high
    return float(both / (one["w"] * one["h"] + other["w"] * other["h"] - both))
