"""Precision and recall at every threshold, and the area under them."""

from typing import Any

import numpy as np

POINTS_MAX = 200
Array = Any


def precision_recall(truth: Array, scores: Array) -> tuple[Array, Array, Array]:
    """Precision, recall and threshold at each distinct score, the highest first; recall grows."""
    order = np.argsort(-scores, kind="stable")
    truth, scores = truth[order].astype(bool), scores[order]
    last = np.append(np.nonzero(np.diff(scores))[0], len(scores) - 1) if len(scores) else np.zeros(0, int)
    hits = np.cumsum(truth)[last]
    total = int(truth.sum())
    precision = hits / (last + 1)
    recall = hits / total if total else np.zeros(len(last))
    return precision, recall, scores[last]


def average_precision(precision: Array, recall: Array) -> float:
    """The mean of precision over recall, each step weighed by how far recall went."""
    return float(np.sum(np.diff(np.concatenate([[0.0], recall])) * precision))


def thinned(precision: Array, recall: Array, thresholds: Array) -> list[list[float]]:
    """Points of a curve for a chart: `[recall, precision, threshold]`, at most 200."""
    count = len(precision)
    if not count:
        return []
    chosen = np.unique(np.linspace(0, count - 1, min(count, POINTS_MAX)).round().astype(int))
    return [
        [round(float(recall[at]), 6), round(float(precision[at]), 6), round(float(thresholds[at]), 6)] for at in chosen
    ]


def ratio(part: Array, whole: Array) -> Array:
    """Part of whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(np.shape(part), float), where=np.asarray(whole) > 0)


def f1(precision: Array, recall: Array) -> Array:
    return ratio(2 * np.asarray(precision) * recall, np.asarray(precision) + recall)
