"""Real pictures with things marked in them: cells, streets, receipts."""

import json
import shutil
from pathlib import Path
from typing import Any

from bench.models.published import publish
from bench.models.sets import DATA, Trial

STREET = (
    "sky", "building", "pole", "road", "pavement", "tree", "sign symbol", "fence", "car", "pedestrian", "bicyclist",
    "unlabelled",
)  # fmt: skip
POINTS = ("middle", "left", "top", "right", "bottom")


def cells(target: Path) -> Path:
    return publish(DATA / "voc-bccd", target, data_type="image", annotation_type="detection")


def streets(target: Path) -> Path:
    """The masks' values have names that only the set's README tells."""
    named = target.with_name(f"{target.name}-named")
    shutil.copytree(DATA / "seg-camvid", named)
    (named / "classes.txt").write_text("\n".join(STREET))
    return publish(named, target, data_type="image", annotation_type="segmentation")


def cell_points(target: Path) -> Path:
    """Of every cell its middle and where it ends, as keypoints."""
    cells(target)
    about = json.loads((target / "dataset.json").read_text())
    skeleton = {"points": list(POINTS), "edges": [[0, 1], [0, 2], [0, 3], [0, 4]], "flips": [[1, 3]]}
    about |= {"annotation_type": "keypoints", "labels": [one | {"skeleton": skeleton} for one in about["labels"]]}
    (target / "dataset.json").write_text(json.dumps(about))
    lines = [json.loads(line) for line in (target / "annotations.jsonl").read_text().splitlines()]
    for line in lines:
        line["annotations"] = [_pointed(one) for one in line["annotations"]]
    (target / "annotations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return target


def receipts(target: Path) -> Path:
    return publish(DATA / "ocr-sroie", target, data_type="image", annotation_type="ocr")


def _pointed(box: dict[str, Any]) -> dict[str, Any]:
    x, y, w, h = (box[side] for side in "xywh")
    points = [(x + w / 2, y + h / 2), (x, y + h / 2), (x + w / 2, y), (x + w, y + h / 2), (x + w / 2, y + h)]
    return box | {"type": "keypoints", "points": [[*point, 2] for point in points]}


TRIALS = [
    Trial("cells", "object-detection", cells, "map_50", 0.70, 1200),
    # Always saying the most frequent class gives a mean IoU of 0.03 (`majority_mean_iou`).
    Trial("streets", "segmentation", streets, "mean_iou", 0.20, 1200),
    # Before anything is learnt no point is where it should be, and every letter is wrong.
    Trial("cell-points", "keypoints", cell_points, "pck", 0.30, 1200, {"epochs": 30}),
    Trial("receipts", "ocr", receipts, "cer", 0.90, 1200, {"time_budget_s": 1080}, goal="min"),
]
