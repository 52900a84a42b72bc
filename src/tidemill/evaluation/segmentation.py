"""How good a segmentation is: pixel by pixel, every label by its intersection over union."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.evaluation.detection import BACKGROUND, names_of, rates
from tidemill.evaluation.judging import Annotation, Judgement, Pair, Worst
from tidemill.geometry.painting import UNKNOWN, paint

Map = NDArray[np.integer[Any]]
Counts = NDArray[np.int64]

COVERED = 0.9


def count(truth: Map, predicted: Map, classes: int) -> Counts:
    """Pixels by what they are (rows) and what they were taken for (columns); unknown ones are left out.

    The last of the classes is background: what no shape covers.
    """
    known = truth != UNKNOWN
    there, found = truth[known].astype(np.int64), np.minimum(predicted[known].astype(np.int64), classes - 1)
    return np.bincount(there * classes + found, minlength=classes * classes).reshape(classes, classes)


def overlaps(counts: Counts) -> NDArray[np.float64]:
    """Each class's intersection over union; NaN for one that neither is there nor was found.

    Where nothing is background (all that is not annotated is unknown), background does not count either.
    """
    common = np.diag(counts).astype(np.float64)
    union = counts.sum(axis=0) + counts.sum(axis=1) - common
    found: NDArray[np.float64] = np.full_like(common, np.nan)
    np.divide(common, union, out=found, where=union > 0)
    if not counts[-1].any():
        found[-1] = np.nan
    return found


def mean_iou(counts: Counts) -> float:
    """The mean over the classes that are there or were found."""
    found = overlaps(counts)
    return float(np.nanmean(found)) if not np.isnan(found).all() else 0.0


def pixel_accuracy(counts: Counts) -> float:
    """The share of known pixels that are taken for what they are."""
    total = int(counts.sum())
    return float(np.trace(counts) / total) if total else 0.0


def majority_baseline(counts: Counts) -> float:
    """The mean IoU of saying the most frequent class everywhere: what a model must beat to be one."""
    sizes = counts.sum(axis=1)
    present = int((sizes > 0).sum())
    return float(sizes.max() / sizes.sum() / present) if present else 0.0


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:  # noqa: ARG001
    """Masks, polygons and whatever else covers pixels. Every pixel is taken for something: no threshold has a say."""
    kept = list(pairs)
    names = names_of(kept, labels)
    rest_is_background = not covers_everything([cover(one.truth, *_size(one)) for one in kept])
    each = [_count_pair(pair, names, rest_is_background=rest_is_background) for pair in kept]
    with_rest = [*names, BACKGROUND]
    counts: Counts = sum(each, start=np.zeros((len(with_rest), len(with_rest)), dtype=np.int64))
    worst = Worst()
    for pair, own in zip(kept, each, strict=True):
        worst.add(pair, *_badness(pair, own))
    return Judgement(
        items=len(kept),
        metrics={
            "mean_iou": mean_iou(counts),
            "pixel_accuracy": pixel_accuracy(counts),
            "majority_mean_iou": majority_baseline(counts),
        },
        primary="mean_iou",
        classes=[_class_row(name, place, counts) for place, name in enumerate(with_rest)],
        confusion={"labels": with_rest, "counts": counts.tolist()},
        worst=worst.listed(),
    )


def cover(annotations: Sequence[Annotation], height: int, width: int) -> float:
    """The share of a picture that annotations cover."""
    seen = {one["label"]: 0 for one in annotations if "label" in one}
    return float((paint(annotations, seen, height, width, rest=1) != 1).mean()) if height * width else 0.0


def covers_everything(shares: Sequence[float]) -> bool:
    """Whether people annotate every pixel, by the shares they cover: then what is left is unknown, not background."""
    return bool(shares) and float(np.median(shares)) > COVERED


def _count_pair(pair: Pair, names: Sequence[str], *, rest_is_background: bool) -> Counts:
    numbers = {name: place for place, name in enumerate(names)}
    height, width = _size(pair)
    nothing = len(names)
    truth = paint(pair.truth, numbers, height, width, rest=nothing if rest_is_background else UNKNOWN)
    return count(truth, paint(pair.predicted, numbers, height, width, rest=nothing), nothing + 1)


def _size(pair: Pair) -> tuple[int, int]:
    """Height and width: the item's, or those of its masks."""
    if pair.width and pair.height:
        return pair.height, pair.width
    sizes = [tuple(one["size"]) for one in (*pair.truth, *pair.predicted) if one["type"] == "mask"]
    return sizes[0] if sizes else (0, 0)


def _badness(pair: Pair, counts: Counts) -> tuple[float, str]:
    if pair.error:
        return 1.0, "unreadable"
    return (1 - pixel_accuracy(counts) if counts.any() else 0.0), "wrong_pixels"


def _class_row(name: str, place: int, counts: Counts) -> dict[str, Any]:
    right, there, found = int(counts[place, place]), int(counts[place].sum()), int(counts[:, place].sum())
    row = {"label": name, "support": there} | rates(right, found, there)
    union = there + found - right
    return row | ({"iou": right / union} if union else {})
