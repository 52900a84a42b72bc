"""How good found keypoints are: COCO's average precision by object keypoint similarity (OKS), and plain distances."""

from collections.abc import Iterable, Sequence

import numpy as np

from tidemill.evaluation import detection
from tidemill.evaluation.average_precision import Compared
from tidemill.evaluation.judging import Annotation, Judgement, Pair, Worst
from tidemill.evaluation.overlaps import Floats, of_keypoints, sigmas_of
from tidemill.geometry import measure

NEAR = 0.1
"""A point within this share of the object's size is where it should be (PCK)."""
MOST = 20


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:
    """OKS instead of the boxes' overlaps; else as a detector is judged."""
    kept = list(pairs)
    names = detection.names_of(kept, labels)
    compared = compare_all(kept, names)
    judgement = detection.judge_compared(kept, compared, names, threshold=threshold, most=MOST)
    judgement.metrics = {name.replace("map", "oks_map"): value for name, value in judgement.metrics.items()}
    judgement.primary = "oks_map"
    each = [_distances(pair, names) for pair in kept]
    distances = np.concatenate([np.zeros(0), *each])
    judgement.metrics["pck"] = float((distances <= NEAR).mean()) if len(distances) else 0.0
    if len(finite := distances[np.isfinite(distances)]):
        judgement.metrics["distance"] = float(finite.mean())
    worst = Worst()
    for pair, own in zip(kept, each, strict=True):
        worst.add(detection.above(pair, threshold), *_badness(pair, own))
    judgement.worst = worst.listed()
    return judgement


def compare_all(pairs: Sequence[Pair], names: Sequence[str]) -> dict[str, list[Compared]]:
    """For every label, what was found and what is there in each picture that has either."""
    return {name: [compare(*sides) for pair in pairs if any(sides := _sides(pair, name))] for name in names}


def compare(found: Sequence[Annotation], truth: Sequence[Annotation]) -> Compared:
    """One picture's finds and truths of one label."""
    count = max(len(one["points"]) for one in (*found, *truth))
    there, boxes, finds = _points(truth, count), _boxes(truth), _points(found, count)
    areas = boxes[:, 2] * boxes[:, 3]
    crowd = np.array([bool(one.get("crowd")) for one in truth], dtype=bool)
    empty = ~(there[:, :, 2] > 0).any(axis=1)
    ignore = empty | np.array([bool(one.get("ignore")) for one in truth], dtype=bool)
    spread = finds[:, :, :2].max(axis=1, initial=-np.inf) - finds[:, :, :2].min(axis=1, initial=np.inf)
    scores = np.array([one.get("score", 1.0) for one in found], dtype=np.float64)
    return Compared(
        scores=scores,
        areas=np.maximum(spread, 0).prod(axis=1),
        truth_areas=areas,
        overlaps=of_keypoints(finds, there, areas, boxes, sigmas_of(count)),
        crowd=crowd,
        ignore=ignore,
    )


def _sides(pair: Pair, label: str) -> tuple[list[Annotation], list[Annotation]]:
    def ours(annotations: Sequence[Annotation]) -> list[Annotation]:
        return [one for one in annotations if one["type"] == "keypoints" and one["label"] == label]

    return ours(pair.predicted), ours(pair.truth)


def _points(annotations: Sequence[Annotation], count: int) -> Floats:
    """Points x, y, v; where one has fewer than its skeleton the rest is not visible."""
    filled = np.zeros((len(annotations), count, 3))
    for place, one in enumerate(annotations):
        given = np.asarray(one["points"], dtype=np.float64)[:count]
        filled[place, : len(given)] = given
    return filled


def _boxes(annotations: Sequence[Annotation]) -> Floats:
    found = [measure.bounds(one) or (0.0, 0.0, 0.0, 0.0) for one in annotations]
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def _distances(pair: Pair, names: Sequence[str]) -> Floats:
    """How far each visible point is from the likest find's, in sizes of the object; infinite where nothing is found."""
    return np.concatenate([np.zeros(0), *(_label_distances(*_sides(pair, name)) for name in names)])


def _label_distances(found: Sequence[Annotation], truth: Sequence[Annotation]) -> Floats:
    if not truth:
        return np.zeros(0)
    compared = compare(found, truth)
    count = max(len(one["points"]) for one in (*found, *truth))
    finds, distances = _points(found, count), [np.zeros(0)]
    for place, one in enumerate(_points(truth, count)):
        seen = one[:, 2] > 0
        if not len(finds):
            distances.append(np.full(int(seen.sum()), np.inf))
            continue
        size = float(np.sqrt(compared.truth_areas[place])) or 1.0
        nearest = finds[int(compared.overlaps[:, place].argmax())]
        distances.append(np.hypot(*(nearest[seen, :2] - one[seen, :2]).T) / size)
    return np.concatenate(distances)


def _badness(pair: Pair, distances: Floats) -> tuple[float, str]:
    if pair.error:
        return 1.0, "unreadable"
    if not len(distances):
        return (0.5, "false_alarm") if pair.predicted else (0.0, "")
    return float((distances > NEAR).mean()), "missed" if np.isinf(distances).all() else "wrong_place"
