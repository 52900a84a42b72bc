"""Classes of whole items: one of several, or any number of them.

Where no item has more than one class and none was predicted with more, the class with the highest probability counts.
Otherwise each class is a question of its own, answered with yes from the threshold on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tidemill.evaluation import curves
from tidemill.evaluation.judging import Judgement, Pair, Worst

Array = Any
NOTHING = -1
STEPS = 101


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:
    """Accuracy, precision, recall and F1 (means over classes), confusion, curves, worst items."""
    kept = list(pairs)
    names = _names(kept, labels)
    places = {name: place for place, name in enumerate(names)}
    truth = np.zeros((len(kept), len(names)), bool)
    chosen = np.zeros((len(kept), len(names)), bool)
    scores = np.zeros((len(kept), len(names)))
    for row, pair in enumerate(kept):
        for name in _classes(pair.truth):
            truth[row, places[name]] = True
        for one in pair.predicted:
            if one["type"] == "class":
                chosen[row, places[one["label"]]] = True
                scores[row, places[one["label"]]] = one.get("score", 1.0)
        for name, probability in (pair.probabilities or {}).items():
            scores[row, places[name]] = probability
    if (truth.sum(axis=1) > 1).any() or (chosen.sum(axis=1) > 1).any():
        return _judge_many(kept, names, truth, scores, threshold)
    return _judge_one(kept, names, truth, chosen, scores)


def _names(pairs: Sequence[Pair], labels: Sequence[str]) -> list[str]:
    """The model's labels, then those that only the data has."""
    found = dict.fromkeys(labels)
    for pair in pairs:
        found |= dict.fromkeys([*_classes(pair.truth), *_classes(pair.predicted), *(pair.probabilities or {})])
    return list(found)


def _classes(annotations: Sequence[dict[str, Any]]) -> list[str]:
    return [one["label"] for one in annotations if one["type"] == "class"]


def _judge_one(pairs: Sequence[Pair], names: list[str], truth: Array, chosen: Array, scores: Array) -> Judgement:
    true_at = np.where(truth.any(axis=1), truth.argmax(axis=1), NOTHING)
    said_at = np.where(chosen.any(axis=1), chosen.argmax(axis=1), NOTHING)
    counted = true_at != NOTHING
    right = (true_at == said_at) & counted
    confusion = confusion_matrix(true_at, said_at, len(names))
    classes, means = _per_class(names, truth[counted], _one_hot(said_at, len(names))[counted], scores[counted])
    items = int(counted.sum())
    metrics = {"accuracy": float(right.sum() / items) if items else 0.0, **means}
    worst = Worst()
    for row in np.nonzero(counted)[0].tolist():
        believed = float(scores[row, true_at[row]])
        if not right[row] and pairs[row].error:
            worst.add(pairs[row], 1.0, "unreadable")
        elif not right[row]:
            worst.add(pairs[row], max(1 - believed, 1e-6), "wrong_class")
        else:
            # A right answer is never worse than a wrong one, however unsure.
            worst.add(pairs[row], (1 - believed) / 2, "unsure")
    top = scores.max(axis=1, initial=0.0)
    return Judgement(
        items=items,
        metrics=metrics,
        primary="accuracy",
        classes=classes,
        confusion={"labels": names, "counts": confusion.tolist()},
        curves={"pr": _pr(names, truth[counted], scores[counted])},
        thresholds=_answered(top[counted], right[counted]),
        worst=worst.listed(),
    )


def _judge_many(pairs: Sequence[Pair], names: list[str], truth: Array, scores: Array, threshold: float) -> Judgement:
    said = scores >= threshold
    classes, means = _per_class(names, truth, said, scores)
    hits, told, there = (truth & said).sum(), said.sum(), truth.sum()
    micro = curves.f1(curves.ratio(hits, told), curves.ratio(hits, there))
    exact = float((truth == said).all(axis=1).mean()) if len(pairs) else 0.0
    worst = Worst()
    for row, judged in enumerate(pairs):
        wrong = np.abs(truth[row] - scores[row])
        is_wrong = (truth[row] != said[row]).any()
        pair = replace(judged, predicted=[one for one in judged.predicted if one.get("score", 1.0) >= threshold])
        worst.add(pair, float(wrong.max(initial=0.0)), "wrong_classes" if is_wrong else "unsure")
    return Judgement(
        items=len(pairs),
        metrics={"f1": means["f1"], "f1_micro": float(micro), "exact": exact, **means},
        primary="f1",
        classes=classes,
        curves={"pr": _pr(names, truth, scores)},
        thresholds=[_at(step / (STEPS - 1), truth, scores) for step in range(STEPS)],
        worst=worst.listed(),
    )


def confusion_matrix(true_at: Array, said_at: Array, count: int) -> Array:
    """How often which class (row) was called which (column); what has no class or was given none is left out."""
    both = (true_at != NOTHING) & (said_at != NOTHING)
    flat = np.bincount(true_at[both] * count + said_at[both], minlength=count * count)
    return flat.reshape(count, count)


def _per_class(names: list[str], truth: Array, said: Array, scores: Array) -> tuple[list[Any], dict[str, float]]:
    """A row a class, and the means over the classes that occur."""
    hits, told, there = (truth & said).sum(axis=0), said.sum(axis=0), truth.sum(axis=0)
    precision, recall = curves.ratio(hits, told), curves.ratio(hits, there)
    harmonic = curves.f1(precision, recall)
    ap = [_ap(truth[:, at], scores[:, at]) if there[at] else None for at in range(len(names))]
    occurs = (told + there) > 0
    rows = [
        {
            "label": name,
            "support": int(there[at]),
            "precision": float(precision[at]),
            "recall": float(recall[at]),
            "f1": float(harmonic[at]),
            "ap": ap[at],
        }
        for at, name in enumerate(names)
    ]
    known = [value for value in ap if value is not None]
    means = {
        "precision": _mean(precision[occurs]),
        "recall": _mean(recall[occurs]),
        "f1": _mean(harmonic[occurs]),
        "map": _mean(np.array(known)),
    }
    return rows, means


def _ap(truth: Array, scores: Array) -> float:
    precision, recall, _ = curves.precision_recall(truth, scores)
    return curves.average_precision(precision, recall)


def _pr(names: list[str], truth: Array, scores: Array) -> list[dict[str, Any]]:
    return [
        {"label": name, "points": curves.thinned(*curves.precision_recall(truth[:, at], scores[:, at]))}
        for at, name in enumerate(names)
        if truth[:, at].any()
    ]


def _answered(top: Array, right: Array) -> list[dict[str, float]]:
    """What is right among the answers that are at least so sure, and how much of everything that is."""
    found = []
    for step in range(STEPS):
        threshold = step / (STEPS - 1)
        answered = top >= threshold
        hits = int((right & answered).sum())
        precision, recall = curves.ratio(hits, answered.sum()), curves.ratio(hits, len(right))
        found.append(_row(threshold, precision, recall))
    return found


def _at(threshold: float, truth: Array, scores: Array) -> dict[str, float]:
    said = scores >= threshold
    hits = (truth & said).sum()
    return _row(threshold, curves.ratio(hits, said.sum()), curves.ratio(hits, truth.sum()))


def _row(threshold: float, precision: Array, recall: Array) -> dict[str, float]:
    return {
        "threshold": threshold,
        "precision": float(precision),
        "recall": float(recall),
        "f1": float(curves.f1(precision, recall)),
    }


def _one_hot(places: Array, count: int) -> Array:
    hot = np.zeros((len(places), count), bool)
    rows = np.nonzero(places != NOTHING)[0]
    hot[rows, places[rows]] = True
    return hot


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else 0.0
