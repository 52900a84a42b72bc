"""How large an annotation is and where it lies, whatever its type."""

import math
from collections.abc import Mapping
from typing import Any

from tidemill.geometry import polygons, rle

Bounds = tuple[float, float, float, float]


def corners(box: Mapping[str, Any]) -> list[float]:
    """A box's four corners as a ring, clockwise from its own upper left; `angle` turns it about its centre."""
    x, y, w, h = box["x"], box["y"], box["w"], box["h"]
    angle = box.get("angle", 0)
    if not angle:
        return [x, y, x + w, y, x + w, y + h, x, y + h]
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    cx, cy = x + w / 2, y + h / 2
    ring: list[float] = []
    for dx, dy in ((-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)):
        ring += [cx + dx * cos - dy * sin, cy + dx * sin + dy * cos]
    return ring


def box_of_corners(ring: polygons.Ring) -> dict[str, float]:
    """The box whose corners these are, in `corners`' order; a ring that is no rectangle gives one like it."""
    x1, y1, x2, y2, x3, y3, x4, y4 = ring[:8]
    w = (math.hypot(x2 - x1, y2 - y1) + math.hypot(x3 - x4, y3 - y4)) / 2
    h = (math.hypot(x4 - x1, y4 - y1) + math.hypot(x3 - x2, y3 - y2)) / 2
    cx, cy = (x1 + x2 + x3 + x4) / 4, (y1 + y2 + y3 + y4) / 4
    angle = math.degrees(math.atan2(y2 - y1 + y3 - y4, x2 - x1 + x3 - x4)) % 360
    box = {"x": cx - w / 2, "y": cy - h / 2, "w": w, "h": h}
    if 1e-6 < angle < 360 - 1e-6:
        box["angle"] = angle
    return box


def bounds(annotation: Mapping[str, Any]) -> Bounds | None:
    """x, y, w, h around it; None for what has no place in a picture (classes, time ranges, no visible keypoint)."""
    match annotation["type"]:
        case "box":
            if not annotation.get("angle"):
                return annotation["x"], annotation["y"], annotation["w"], annotation["h"]
            return polygons.bounds(corners(annotation))
        case "polygon":
            return polygons.bounds([value for ring in annotation["rings"] for value in ring])
        case "mask":
            height, width = annotation["size"]
            return rle.bounds(rle.check(annotation["rle"], height, width), height)
        case "keypoints":
            return _of_keypoints(annotation)
        case "polyline":
            return polygons.bounds(annotation["points"])
        case "point":
            return annotation["x"], annotation["y"], 0.0, 0.0
        case "circle":
            x, y, r = annotation["x"], annotation["y"], annotation["r"]
            return x - r, y - r, 2 * r, 2 * r
        case _:
            return None


def area(annotation: Mapping[str, Any]) -> float:
    """Its area in pixels; 0 for what has none."""
    match annotation["type"]:
        case "box":
            return float(annotation["w"] * annotation["h"])
        case "polygon":
            holes = annotation.get("holes", ())
            signed = ((-1 if i in holes else 1) * polygons.area(r) for i, r in enumerate(annotation["rings"]))
            return max(0.0, sum(signed))
        case "mask":
            return float(rle.area(rle.counts_of(annotation["rle"])))
        case "circle":
            return math.pi * float(annotation["r"]) ** 2
        case "keypoints":
            found = bounds(annotation)
            return 0.0 if found is None else float(found[2] * found[3])
        case _:
            return 0.0


def _of_keypoints(annotation: Mapping[str, Any]) -> Bounds | None:
    if "w" in annotation:
        return annotation["x"], annotation["y"], annotation["w"], annotation["h"]
    seen = [value for x, y, v in annotation["points"] if v for value in (x, y)]
    return polygons.bounds(seen) if seen else None
