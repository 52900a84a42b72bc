"""A row of COCO's `annotations` as annotations of ours, and its categories' skeletons."""

from math import isfinite
from typing import Any

from tidemill.datasets.formats.base import Annotation
from tidemill.datasets.reasons import Malformed
from tidemill.geometry import polygons, rle

_PLAIN = {
    "id", "image_id", "category_id", "bbox", "area", "iscrowd", "segmentation", "keypoints", "num_keypoints"
}  # fmt: skip
_FLAGS = ("ignore", "truncated", "difficult", "occluded")
_KEPT = ("score", "text", "order", "group", "track", "source")


def annotations(row: dict[str, Any], label: str, wanted: str | None) -> list[Annotation]:
    """What the row says, as the dataset wants it: its boxes only, its outlines, its keypoints, or all there is.

    Raises ValueError and the like for a row that makes no sense.
    """
    if wanted == "detection" and row.keys() <= _PLAIN and row.get("bbox") and not row.get("iscrowd"):
        # Nearly every row of nearly every file.
        x, y, w, h = row["bbox"]
        if w > 0 and h > 0 and isfinite(x + y + w + h):
            return [{"type": "box", "label": label, "id": str(row["id"]), "x": x, "y": y, "w": w, "h": h}]
    if wanted in {"classification", "multi-classification"}:
        return [{"type": "class", "label": label}]
    shared = _shared(row, label)
    points = _keypoints(row, shared) if wanted in {None, "keypoints"} else None
    if points and wanted == "keypoints":
        return [points]
    is_turned = bool(row.get("bbox")) and (row.get("attributes") or {}).get("rotation")
    place = None if is_turned or wanted in {"detection", "keypoints"} else _outline(row, shared)
    place = place or _box(row, shared)
    if points and place:
        if place["type"] == "box":
            return [points]
        # Two shapes of one object: they stay together.
        group = row.get("group", row.get("id"))
        points["group"] = place["group"] = group if isinstance(group, int) else 1
        points["id"] = f"{points['id']}k" if "id" in points else "k"
        return [place, points]
    if points or place:
        return [points or place]  # type: ignore[list-item]
    if "bbox" not in row and "segmentation" not in row:
        return [{"type": "class", "label": label}]
    raise Malformed("no_box_or_outline")


def _shared(row: dict[str, Any], label: str) -> Annotation:
    shared: Annotation = {"label": label}
    if "id" in row:
        shared["id"] = str(row["id"])
    if row.get("iscrowd"):
        shared["crowd"] = True
    if row.keys() <= _PLAIN:
        return shared
    attributes = row.get("attributes")
    for flag in _FLAGS:
        if row.get(flag):
            shared[flag] = True
    for name in _KEPT:
        if row.get(name) is not None:
            shared[name] = row[name]
    if "track_id" in row:
        shared["track"] = str(row["track_id"])
    if isinstance(attributes, dict) and attributes:
        if attributes.get("occluded") is True:
            shared["occluded"] = True
        rest = {k: v for k, v in attributes.items() if k not in {"occluded", "rotation"}}
        if rest:
            shared["attributes"] = rest
    return shared


def _box(row: dict[str, Any], shared: Annotation) -> Annotation | None:
    bbox = row.get("bbox")
    if not bbox:
        outline = _outline(row, shared)
        if outline is None:
            return None
        bbox = _bounds(outline)
    x, y, w, h = bbox
    # One comparison refuses negative and zero sizes, and what is not a number; one sum what is endless.
    if not (w > 0 and h > 0 and isfinite(x + y + w + h)):
        raise Malformed("box_empty")
    box = {"type": "box", **shared, "x": x, "y": y, "w": w, "h": h}
    attributes = row.get("attributes")
    if isinstance(attributes, dict) and attributes.get("rotation"):
        box["angle"] = float(attributes["rotation"]) % 360
    return box


def _bounds(outline: Annotation) -> tuple[float, float, float, float]:
    if outline["type"] == "polygon":
        return polygons.bounds([value for ring in outline["rings"] for value in ring])
    return rle.bounds(rle.counts_of(outline["rle"]), outline["size"][0])


def _outline(row: dict[str, Any], shared: Annotation) -> Annotation | None:
    shape = row.get("segmentation")
    if not shape:
        return None
    if isinstance(shape, dict):
        height, width = shape["size"]
        counts = shape["counts"]
        text = rle.text_of([int(run) for run in counts]) if isinstance(counts, list) else str(counts)
        rle.check(text, height, width)
        return {"type": "mask", **shared, "size": [height, width], "rle": text}
    rings = shape if isinstance(shape[0], list) else [shape]
    good = [ring for ring in rings if len(ring) >= 6 and len(ring) % 2 == 0]
    if not good:
        return None
    for ring in good:
        if not isfinite(sum(ring)):
            raise Malformed("corner_not_a_number")
    return {"type": "polygon", **shared, "rings": good}


def _keypoints(row: dict[str, Any], shared: Annotation) -> Annotation | None:
    flat = row.get("keypoints")
    if not flat:
        return None
    points: list[list[float]] = []
    for x, y, v in zip(flat[0::3], flat[1::3], flat[2::3], strict=True):
        if not isfinite(x + y):
            raise Malformed("keypoint_not_a_number")
        points.append([x, y, min(int(v), 2)] if v > 0 else [0, 0, 0])
    if not any(v for _, _, v in points):
        return None
    found: Annotation = {"type": "keypoints", **shared, "points": points}
    bbox = row.get("bbox")
    if bbox and bbox[2] > 0 and bbox[3] > 0:
        found["x"], found["y"], found["w"], found["h"] = bbox
    return found


def skeleton(category: dict[str, Any], points: int) -> dict[str, Any]:
    """The label's skeleton; points without names are numbered."""
    names = [str(name) for name in category.get("keypoints") or []]
    names = (names + [str(number) for number in range(len(names) + 1, points + 1)])[: max(points, len(names))]
    edges = [[int(a) - 1, int(b) - 1] for a, b in category.get("skeleton") or []]
    known = [[a, b] for a, b in edges if 0 <= a < len(names) and 0 <= b < len(names)]
    return {"points": names, "edges": known, "flips": flips(names)}


def flips(names: list[str]) -> list[list[int]]:
    """Pairs that change places in a mirror, by their names: `left_eye` and `right_eye`, `L_ear` and `R_ear`."""
    places = {name.lower(): place for place, name in enumerate(names)}
    pairs = []
    for name, place in places.items():
        for left, right in (("left", "right"), ("l_", "r_"), ("_l", "_r"), ("左", "右")):
            other = places.get(name.replace(left, right)) if left in name else None
            if other is not None and other != place:
                pairs.append([place, other])
                break
    return pairs
