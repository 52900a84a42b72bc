"""How good a detector is: COCO's mean average precision, curves, confusion with background, the worst items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tidemill.evaluation import curves
from tidemill.evaluation.average_precision import MOST, Compared, Matches, summarise
from tidemill.evaluation.judging import Annotation, Judgement, Pair, Worst
from tidemill.evaluation.overlaps import Floats, of_boxes
from tidemill.geometry import measure

AT_IOU = 0.5
BACKGROUND = "background"
STEPS = 101


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:
    """Boxes, and what is around other shapes; labels that only the data has count as never found."""
    kept = list(pairs)
    names = names_of(kept, labels)
    return judge_compared(kept, compare(kept, names), names, threshold=threshold)


def names_of(pairs: Sequence[Pair], labels: Sequence[str]) -> list[str]:
    """The model's labels, then those that only the data has."""
    found = dict.fromkeys(labels)
    for pair in pairs:
        found |= dict.fromkeys(one["label"] for one in pair.truth if "label" in one and _is_placed(one))
    return list(found)


def compare(pairs: Sequence[Pair], names: Sequence[str]) -> dict[str, list[Compared]]:
    """For every label, what was found and what is there in each picture that has either."""
    compared: dict[str, list[Compared]] = {name: [] for name in names}
    for pair in pairs:
        truth, found = by_label(pair.truth), by_label(pair.predicted)
        for name in (truth.keys() | found.keys()) & compared.keys():
            compared[name].append(_compared(found.get(name, []), truth.get(name, [])))
    return compared


def by_label(annotations: Sequence[Annotation]) -> dict[str, list[Annotation]]:
    """Those that have a place in the picture."""
    sorted_out: dict[str, list[Annotation]] = {}
    for one in annotations:
        if "label" in one and _is_placed(one):
            sorted_out.setdefault(one["label"], []).append(one)
    return sorted_out


def judge_compared(
    pairs: Sequence[Pair],
    compared: Mapping[str, Sequence[Compared]],
    names: Sequence[str],
    *,
    threshold: float,
    most: int = MOST,
) -> Judgement:
    """The judgement from overlaps that are known already."""
    table = summarise(compared, most=most)
    matches: dict[str, Matches] = table.pop("matches")
    by_name = table.pop("by_label")
    everything = list(matches.values())
    worst = Worst()
    for pair in pairs:
        worst.add(above(pair, threshold), *_badness(pair, threshold))
    return Judgement(
        items=len(pairs),
        metrics={name: value for name, value in table.items() if value is not None} | _rates(everything, threshold),
        primary="map_50",
        classes=[_class_row(name, matches[name], by_name[name], threshold) for name in names],
        confusion=confusion(pairs, names, threshold=threshold),
        curves={"pr": [{"label": name, "points": _curve(matches[name])} for name in names if matches[name].positives]},
        thresholds=[
            {"threshold": step / (STEPS - 1)} | _rates(everything, step / (STEPS - 1)) for step in range(STEPS)
        ],
        worst=worst.listed(),
    )


def confusion(pairs: Sequence[Pair], labels: Sequence[str], *, threshold: float) -> dict[str, Any]:
    """Rows are what is there, columns what was found; the last of both is background."""
    names = [*labels, BACKGROUND]
    numbers = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for pair in pairs:
        truth, found = _that_count(pair, numbers, threshold)
        joined = join(truth, found)
        for t, f in joined:
            counts[numbers[truth[t]["label"]], numbers[found[f]["label"]]] += 1
        for t in set(range(len(truth))) - {t for t, _ in joined}:
            counts[numbers[truth[t]["label"]], -1] += 1
        for f in set(range(len(found))) - {f for _, f in joined}:
            counts[-1, numbers[found[f]["label"]]] += 1
    return {"labels": names, "counts": counts.tolist()}


def join(truth: Sequence[Annotation], found: Sequence[Annotation]) -> list[tuple[int, int]]:
    """Which truth goes with which find, whatever their labels: those with most in common first."""
    overlaps = of_boxes(_boxes(found), _boxes(truth))
    joined: list[tuple[int, int]] = []
    order = np.argsort(-overlaps, axis=None, kind="stable")
    left_t, left_f = set(range(len(truth))), set(range(len(found)))
    for place in order:
        f, t = divmod(int(place), len(truth))
        if overlaps[f, t] < AT_IOU:
            break
        if f in left_f and t in left_t:
            joined.append((t, f))
            left_f.remove(f)
            left_t.remove(t)
    return joined


def _compared(found: Sequence[Annotation], truth: Sequence[Annotation]) -> Compared:
    boxes, there = _boxes(found), _boxes(truth)
    crowd = np.array([bool(one.get("crowd")) for one in truth], dtype=bool)
    ignore = np.array([bool(one.get("ignore")) for one in truth], dtype=bool)
    scores = np.array([one.get("score", 1.0) for one in found], dtype=np.float64)
    areas = there[:, 2] * there[:, 3]
    return Compared(scores, boxes[:, 2] * boxes[:, 3], areas, of_boxes(boxes, there, crowd), crowd, ignore)


def _boxes(annotations: Sequence[Annotation]) -> Floats:
    found = [measure.bounds(one) or (0.0, 0.0, 0.0, 0.0) for one in annotations]
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def _class_row(
    label: str, matches: Matches, averages: tuple[float, float, float] | None, threshold: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"label": label, "support": matches.positives} | _rates([matches], threshold)
    if averages is not None:
        row |= {"ap": averages[0], "ap_50": averages[1], "ap_75": averages[2]}
    return row


def _rates(matches: Sequence[Matches], threshold: float) -> dict[str, float]:
    """Precision, recall and F1 of what is at least so sure, at an overlap of a half."""
    true = false = positives = 0
    for one in matches:
        counts = ~one.skipped[0] & (one.scores >= threshold)
        true += int((one.hits[0] & counts).sum())
        false += int((~one.hits[0] & counts).sum())
        positives += one.positives
    return rates(true, true + false, positives)


def rates(true: int, found: int, there: int) -> dict[str, float]:
    """Precision, recall and F1 from counts."""
    precision, recall = curves.ratio(true, found), curves.ratio(true, there)
    return {"precision": float(precision), "recall": float(recall), "f1": float(curves.f1(precision, recall))}


def _curve(matches: Matches) -> list[list[float]]:
    precision, recall, scores = matches.precision_recall(0)
    return curves.thinned(precision, recall, scores)


def _badness(pair: Pair, threshold: float) -> tuple[float, str]:
    """How bad, and what is most at fault: `missed`, `false_alarm` or `wrong_label`."""
    if pair.error:
        return 1.0, "unreadable"
    truth, found = _that_count(pair, None, threshold)
    joined = join(truth, found)
    right = sum(truth[t]["label"] == found[f]["label"] for t, f in joined)
    faults = {
        "wrong_label": len(joined) - right,
        "missed": len(truth) - len(joined),
        "false_alarm": len(found) - len(joined),
    }
    total = len(truth) + len(found)
    return (1 - 2 * right / total if total else 0.0), max(faults, key=lambda name: faults[name])


def _that_count(pair: Pair, labels: Any, threshold: float) -> tuple[list[Annotation], list[Annotation]]:
    truth = [one for one in pair.truth if not one.get("ignore") and not one.get("crowd") and _is_placed(one)]
    found = [one for one in pair.predicted if one.get("score", 1.0) >= threshold]
    if labels is None:
        return truth, found
    return [one for one in truth if one["label"] in labels], [one for one in found if one["label"] in labels]


def above(pair: Pair, threshold: float) -> Pair:
    """The item with what is sure enough to be shown."""
    return replace(pair, predicted=[one for one in pair.predicted if one.get("score", 1.0) >= threshold])


def _is_placed(one: Annotation) -> bool:
    return one["type"] != "class" and measure.bounds(one) is not None
