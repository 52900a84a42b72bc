"""Segmentations are judged pixel by pixel."""

import numpy as np
import pytest

from tidemill.evaluation import Pair, segmentation
from tidemill.geometry.painting import UNKNOWN, as_mask, as_polygons, paint

LABELS = ["road", "tree"]


def test_the_mean_iou_is_that_of_the_sets_of_pixels() -> None:
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 3, (2, 40, 50))
    counts = segmentation.count(truth, found, 3)
    by_sets = [np.sum((truth == c) & (found == c)) / np.sum((truth == c) | (found == c)) for c in range(3)]
    assert segmentation.mean_iou(counts) == pytest.approx(np.mean(by_sets), abs=1e-9)
    assert segmentation.pixel_accuracy(counts) == pytest.approx(np.mean(truth == found), abs=1e-9)
    metrics = pytest.importorskip("sklearn.metrics", exc_type=ImportError)
    assert segmentation.mean_iou(counts) == pytest.approx(
        metrics.jaccard_score(truth.ravel(), found.ravel(), average="macro"), abs=1e-6
    )


def test_unknown_pixels_do_not_count() -> None:
    truth = np.full((4, 4), UNKNOWN)
    truth[0] = 1
    counts = segmentation.count(truth, np.zeros((4, 4), dtype=int), 3)
    assert counts.sum() == 4
    assert counts[1, 0] == 4


def test_polygons_and_masks_are_judged_alike() -> None:
    mask = np.zeros((30, 40), dtype=bool)
    mask[5:20, 6:30] = True
    mask[9:12, 10:14] = False
    box = {"type": "polygon", "label": "tree", "rings": [[25, 22, 39, 22, 39, 29, 25, 29]]}
    truth = [as_mask(mask) | {"label": "road"}, box]
    (polygon,) = as_polygons(mask)
    items = [Pair(1, "a.png", truth, [polygon | {"label": "road"}, box], 40, 30)]
    found = segmentation.judge(items, LABELS)
    assert polygon["holes"] == [1]
    assert found.metrics["mean_iou"] == 1
    assert found.worst == []


@pytest.mark.parametrize(("annotated", "mean_iou"), [(38, 1.0), (20, 0.25)])
def test_where_nearly_everything_is_annotated_the_rest_is_unknown_else_background(
    annotated: int, mean_iou: float
) -> None:
    left = {"type": "box", "label": "road", "x": 0, "y": 0, "w": annotated, "h": 10}
    found = segmentation.judge([Pair(1, "a.png", [left], [left | {"w": 40, "score": 0.9}], 40, 10)], LABELS)
    assert found.metrics["mean_iou"] == pytest.approx(mean_iou)
    assert len(found.worst) == (mean_iou < 1)


def test_smaller_shapes_lie_on_larger_ones() -> None:
    large = {"type": "box", "label": "road", "x": 0, "y": 0, "w": 10, "h": 10}
    small = {"type": "box", "label": "tree", "x": 2, "y": 2, "w": 4, "h": 4}
    picture = paint([small, large], {"road": 0, "tree": 1}, 10, 10, rest=2)
    assert picture[3, 3] == 1
    assert picture[8, 8] == 0
