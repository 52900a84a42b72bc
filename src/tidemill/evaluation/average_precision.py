"""Average precision as COCO counts it, for anything that overlaps: boxes, masks, keypoints.

What was found is compared with what is there, picture by picture and label by label (`Compared`); only the overlaps
differ from task to task. The rules are those of pycocotools, the figures agree with it: the surest first, each takes
the truth it overlaps most, crowds and what is to be ignored count neither for nor against.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

IOU_THRESHOLDS: Floats = np.linspace(0.5, 0.95, 10)
RECALLS: Floats = np.linspace(0.0, 1.0, 101)
AREAS: dict[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
MOST = 100
"""More than so many finds of a label in a picture are not looked at."""
_ALMOST_ONE = 1 - 1e-10


@dataclass(frozen=True, slots=True)
class Compared:
    """Of one picture and one label: what was found (`scores`, `areas`) and what is there."""

    scores: Floats
    areas: Floats
    truth_areas: Floats
    overlaps: Floats
    """Finds by truths."""
    crowd: Flags
    ignore: Flags
    """What does not count; crowds among it."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What became of the finds of one label, all pictures together, the surest first."""

    scores: Floats
    hits: Flags
    """Thresholds by finds."""
    skipped: Flags
    positives: int

    def precision_recall(self, threshold: int) -> tuple[Floats, Floats, Floats]:
        """Precision, recall and score after each find that counts."""
        counts = ~self.skipped[threshold]
        hits = self.hits[threshold][counts]
        true, false = np.cumsum(hits), np.cumsum(~hits)
        recall = true / self.positives if self.positives else np.zeros(len(true))
        return true / (true + false + np.spacing(1)), recall, self.scores[counts]


def match(
    all_compared: Sequence[Compared],
    *,
    thresholds: Floats = IOU_THRESHOLDS,
    area: tuple[float, float] = AREAS["all"],
    most: int = MOST,
) -> Matches:
    """Compares the finds of one label with the truths, picture by picture."""
    done = [_match_one(compared, thresholds, area, most) for compared in all_compared]
    scores = np.concatenate([one[0] for one in done]) if done else np.zeros(0)
    order = np.argsort(-scores, kind="mergesort")
    nothing = np.zeros((len(thresholds), 0), dtype=bool)
    hits = np.concatenate([one[1] for one in done], axis=1) if done else nothing
    skipped = np.concatenate([one[2] for one in done], axis=1) if done else nothing
    return Matches(scores[order], hits[:, order], skipped[:, order], sum(one[3] for one in done))


def average(matches: Matches) -> Floats | None:
    """The average precision at each threshold; None where the label is nowhere to be found."""
    if not matches.positives:
        return None
    return np.array([_average_at(matches, place) for place in range(len(matches.hits))])


def recall(matches: Matches) -> Floats | None:
    """How much of what is there was found, at each threshold."""
    if not matches.positives:
        return None
    found = (matches.hits & ~matches.skipped).sum(axis=1)
    return np.asarray(found / matches.positives, dtype=np.float64)


def summarise(
    all_compared: Mapping[str, Sequence[Compared]], *, areas: Sequence[str] = tuple(AREAS), most: int = MOST
) -> dict[str, Any]:
    """COCO's table: `map`, `map_50`, `map_75`, by size, `average_recall`.

    `by_label` has each label's average over all thresholds, at 0.5 and at 0.75; `matches` what they are made from.
    """
    by_area = {
        name: {label: match(found, area=AREAS[name], most=most) for label, found in all_compared.items()}
        for name in areas
    }

    averages = {name: {label: average(m) for label, m in found.items()} for name, found in by_area.items()}
    everything = [found for found in averages["all"].values() if found is not None]
    recalls = [found for found in map(recall, by_area["all"].values()) if found is not None]
    table: dict[str, Any] = {
        "map": _mean(everything),
        "map_50": _mean([found[:1] for found in everything]),
        "map_75": _mean([found[5:6] for found in everything]),
        "average_recall": _mean(recalls),
    }
    for name in areas:
        if name != "all":
            table[f"map_{name}"] = _mean([found for found in averages[name].values() if found is not None])
    table["by_label"] = {
        label: None if found is None else (float(found.mean()), float(found[0]), float(found[5]))
        for label, found in averages["all"].items()
    }
    table["matches"] = by_area["all"]
    return table


def _match_one(
    compared: Compared, thresholds: Floats, area: tuple[float, float], most: int
) -> tuple[Floats, Flags, Flags, int]:
    order = np.argsort(-compared.scores, kind="mergesort")[:most]
    outside = (compared.truth_areas < area[0]) | (compared.truth_areas > area[1])
    ignored = compared.ignore | compared.crowd | outside
    # What counts comes first: a find takes something to be ignored only when nothing else is left for it.
    truths = np.argsort(ignored, kind="mergesort")
    ignored, crowd = ignored[truths], compared.crowd[truths]
    overlaps = compared.overlaps[np.ix_(order, truths)]
    hits = np.zeros((len(thresholds), len(order)), dtype=bool)
    skipped = np.zeros_like(hits)
    # Most finds overlap one or two truths: only those are looked at.
    near = [np.flatnonzero(row >= thresholds[0] - 1e-9).tolist() for row in overlaps]
    for place, threshold in enumerate(thresholds):
        taken = [False] * len(truths)
        for find, candidates in enumerate(near):
            best = _choose(overlaps[find], candidates, min(float(threshold), _ALMOST_ONE), taken, crowd, ignored)
            if best >= 0:
                taken[best] = hits[place, find] = True
                skipped[place, find] = ignored[best]
    areas = compared.areas[order]
    skipped |= ~hits & ((areas < area[0]) | (areas > area[1]))
    return compared.scores[order], hits, skipped, int((~ignored).sum())


def _choose(row: Floats, candidates: list[int], least: float, taken: list[bool], crowd: Flags, ignored: Flags) -> int:
    """The truth that a find overlaps most, or -1; a crowd may be taken many times."""
    best = -1
    for truth in candidates:
        if taken[truth] and not crowd[truth]:
            continue
        if best >= 0 and not ignored[best] and ignored[truth]:
            break
        if row[truth] < least:
            continue
        best, least = truth, float(row[truth])
    return best


def _average_at(matches: Matches, threshold: int) -> float:
    precision, recall_, _ = matches.precision_recall(threshold)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(recall_, RECALLS, side="left")
    reached = places < len(envelope)
    return float(envelope[places[reached]].sum() / len(RECALLS))


def _mean(found: Sequence[Floats]) -> float | None:
    return float(np.concatenate(found).mean()) if found else None
