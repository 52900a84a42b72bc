"""Detection and keypoints are judged as pycocotools judges them."""

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from tidemill.evaluation import Pair, detection, keypoints
from tidemill.evaluation.overlaps import COCO_PERSON

LABELS = ["cell", "boat", "gull"]


def _random_items(seed: int, *, pictures: int = 12) -> list[Pair]:
    """Truths of all sizes, some of them crowds; finds that are near some of them, doubled, or anywhere."""
    rng = np.random.default_rng(seed)
    items = []
    for seq in range(1, pictures + 1):
        truth = [_box(rng, LABELS) for _ in range(rng.integers(0, 9))]
        for one in truth:
            if rng.random() < 0.1:
                one["crowd"] = True
        found = []
        for one in truth:
            for _ in range(rng.integers(0, 3)):
                shift = rng.normal(0, 0.12, 4) * one["w"]
                sides = {k: max(1.0, one[k] + d) for k, d in zip("xywh", shift, strict=True)}
                label = one["label"] if rng.random() < 0.85 else LABELS[rng.integers(3)]
                found.append({"type": "box", "label": label, **sides, "score": float(rng.random())})
        found += [_box(rng, LABELS) | {"score": float(rng.random())} for _ in range(rng.integers(0, 5))]
        items.append(Pair(seq, f"{seq}.jpg", truth, found, 640, 480))
    return items


def _box(rng: Any, labels: list[str]) -> dict[str, Any]:
    side = float(rng.choice([12, 40, 70, 150]))
    w, h = side * rng.uniform(0.7, 1.4, 2)
    place = {"x": float(rng.uniform(0, 400)), "y": float(rng.uniform(0, 300)), "w": float(w), "h": float(h)}
    return {"type": "box", "label": labels[rng.integers(len(labels))], **place}


def _coco(images: int, annotations: list[dict[str, Any]], names: list[str]) -> COCO:
    coco = COCO()
    coco.dataset = {
        "images": [{"id": seq, "width": 640, "height": 480} for seq in range(1, images + 1)],
        "annotations": [one | {"id": place} for place, one in enumerate(annotations, start=1)],
        "categories": [{"id": place, "name": name} for place, name in enumerate(names, start=1)],
    }
    coco.createIndex()
    return coco


def _judged_by_coco(truth: COCO, found: list[dict[str, Any]], kind: str) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        judge = COCOeval(truth, truth.loadRes(found), kind)
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
    return judge.stats


@pytest.mark.parametrize("seed", range(4))
def test_boxes_get_the_figures_of_pycocotools(seed: int) -> None:
    items = _random_items(seed)

    def row(item: Pair, one: Any) -> dict[str, Any]:
        box = [one[k] for k in "xywh"]
        return {"image_id": item.seq, "category_id": LABELS.index(one["label"]) + 1, "bbox": box}

    with contextlib.redirect_stdout(io.StringIO()):
        rows = [
            row(item, one) | {"area": one["w"] * one["h"], "iscrowd": int(one.get("crowd", False))}
            for item in items
            for one in item.truth
        ]
        coco = _coco(len(items), rows, LABELS)
    stats = _judged_by_coco(
        coco, [row(item, one) | {"score": one["score"]} for item in items for one in item.predicted], "bbox"
    )
    metrics = detection.judge(items, LABELS).metrics
    names = ("map", "map_50", "map_75", "map_small", "map_medium", "map_large")
    assert [metrics[name] for name in names] == pytest.approx(list(stats[:6]), abs=1e-6)
    assert metrics["average_recall"] == pytest.approx(stats[8], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_keypoints_get_the_figures_of_pycocotools(seed: int) -> None:
    items = _random_people(seed)
    rows = [
        {
            "image_id": item.seq, "category_id": 1, "iscrowd": 0, "area": one["w"] * one["h"],
            "bbox": [one[k] for k in "xywh"], "keypoints": _flat(one["points"]),
            "num_keypoints": sum(v > 0 for *_, v in one["points"]),
        }
        for item in items
        for one in item.truth
    ]  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        coco = _coco(len(items), rows, ["person"])
    found = [
        {"image_id": item.seq, "category_id": 1, "keypoints": _flat(one["points"]), "score": one["score"]}
        for item in items
        for one in item.predicted
    ]
    stats = _judged_by_coco(coco, found, "keypoints")
    metrics = keypoints.judge(items, ["person"]).metrics
    assert metrics["oks_map"] == pytest.approx(stats[0], abs=1e-6)
    assert metrics["oks_map_50"] == pytest.approx(stats[1], abs=1e-6)
    assert metrics["oks_map_75"] == pytest.approx(stats[2], abs=1e-6)
    assert metrics["average_recall"] == pytest.approx(stats[5], abs=1e-6)
    assert 0 < metrics["oks_map"] < 1


def _random_people(seed: int) -> list[Pair]:
    rng = np.random.default_rng(seed)
    items = []
    for seq in range(1, 9):
        truth, found = [], []
        for _ in range(rng.integers(1, 4)):
            x, y, size = *rng.uniform(0, 300, 2), rng.uniform(40, 160)
            points = [[*np.add(rng.uniform(0, size, 2), [x, y]), int(rng.integers(0, 3))] for _ in COCO_PERSON]
            if rng.random() < 0.15:
                points = [[0.0, 0.0, 0] for _ in points]
            truth.append(
                {"type": "keypoints", "label": "person", "points": points, "x": x, "y": y, "w": size, "h": size}
            )
            near = [[a + e, b + f, 2] for (a, b, _), (e, f) in zip(points, rng.normal(0, 6, (17, 2)), strict=True)]
            found.append({"type": "keypoints", "label": "person", "points": near, "score": float(rng.random())})
        if rng.random() < 0.4:
            anywhere = [[*rng.uniform(0, 400, 2), 2] for _ in COCO_PERSON]
            found.append({"type": "keypoints", "label": "person", "points": anywhere, "score": float(rng.random())})
        items.append(Pair(seq, f"{seq}.jpg", truth, found, 640, 480))
    return items


def _flat(points: list[Any]) -> list[float]:
    return [float(value) for point in points for value in point]


def test_the_confusion_matrix_has_background_for_what_was_missed_and_what_is_not_there() -> None:
    box = {"type": "box", "x": 10, "y": 10, "w": 40, "h": 40}
    far = box | {"x": 300}
    item = Pair(
        1,
        "a.jpg",
        [box | {"label": "cell"}, far | {"label": "boat"}],
        [box | {"label": "gull", "score": 0.9}, box | {"label": "cell", "x": 150, "score": 0.8}],
    )
    found = detection.judge([item], LABELS, threshold=0.5)
    assert found.confusion == {
        "labels": [*LABELS, "background"],
        "counts": [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]],
    }
    assert found.worst[0]["badness"] == 1
    assert found.metrics["f1"] == 0


def test_nothing_found_is_nothing_and_nothing_there_is_left_out() -> None:
    box = {"type": "box", "label": "cell", "x": 1, "y": 1, "w": 9, "h": 9}
    found = detection.judge([Pair(1, "a", [box], []), Pair(2, "b", [], [])], LABELS)
    assert found.metrics["map_50"] == 0
    assert "ap" not in found.classes[1]
    assert [one["seq"] for one in found.worst] == [1]


def test_a_higher_threshold_gives_more_precision_and_less_recall() -> None:
    rows = detection.judge(_random_items(1), LABELS).thresholds
    assert rows[0]["recall"] >= rows[-1]["recall"]
    assert len(rows) == 101
