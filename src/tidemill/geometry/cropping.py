"""What a crop leaves of one annotation: nothing, the annotation, or (lines that leave and return) several."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tidemill.geometry import polygons, rle
from tidemill.geometry.measure import area, corners

Annotation = dict[str, Any]
Window = tuple[int, int, int, int]


def crop(annotation: Annotation, window: Window, keep: float) -> list[Annotation]:
    """The annotation in coordinates of the window (x, y, w, h)."""
    match annotation["type"]:
        case "box":
            return _box(annotation, window, keep)
        case "polygon":
            return _polygon(annotation, window, keep)
        case "mask":
            return _mask(annotation, window, keep)
        case "keypoints":
            return _keypoints(annotation, window)
        case "polyline":
            return _polyline(annotation, window)
        case "point" | "circle":
            x, y = annotation["x"] - window[0], annotation["y"] - window[1]
            return [annotation | {"x": x, "y": y}] if _is_inside(x, y, window) else []
        case _:
            return [dict(annotation)]


def clip_box(x: float, y: float, w: float, h: float, width: float, height: float) -> polygons.Box:
    """The part of a box inside 0..width, 0..height; sizes are 0 where nothing is."""
    left, top = min(max(x, 0), width), min(max(y, 0), height)
    right, bottom = min(max(x + w, 0), width), min(max(y + h, 0), height)
    return left, top, right - left, bottom - top


def _box(box: Annotation, window: Window, keep: float) -> list[Annotation]:
    moved = box | {"x": box["x"] - window[0], "y": box["y"] - window[1]}
    if box.get("angle"):
        return _turned_box(moved, window, keep)
    left, top, w, h = clip_box(moved["x"], moved["y"], box["w"], box["h"], window[2], window[3])
    if not _stays(w * h, box["w"] * box["h"], keep):
        return []
    if (w, h) == (box["w"], box["h"]):
        return [moved]
    return [moved | {"x": left, "y": top, "w": w, "h": h, "truncated": True}]


def _turned_box(moved: Annotation, window: Window, keep: float) -> list[Annotation]:
    """It stays whole: the part of it inside the window is no box."""
    ring = corners(moved)
    inside = polygons.cut(ring, window[2], window[3])
    seen = polygons.area(inside) if inside else 0.0
    if not _stays(seen, polygons.area(ring), keep):
        return []
    return [moved] if seen >= polygons.area(ring) * (1 - 1e-9) else [moved | {"truncated": True}]


def _polygon(annotation: Annotation, window: Window, keep: float) -> list[Annotation]:
    holes = set(annotation.get("holes", ()))
    rings: list[list[float]] = []
    kept_holes: list[int] = []
    for number, ring in enumerate(annotation["rings"]):
        part = polygons.cut(_shifted(ring, window), window[2], window[3])
        if not part or polygons.area(part) == 0:
            continue
        if number in holes:
            kept_holes.append(len(rings))
        rings.append(part)
    cropped = {key: value for key, value in annotation.items() if key != "holes"} | {"rings": rings}
    if kept_holes:
        cropped["holes"] = kept_holes
    whole = area(annotation)
    if len(kept_holes) == len(rings) or not _stays(area(cropped), whole, keep):
        return []
    if area(cropped) < whole * (1 - 1e-9):
        cropped["truncated"] = True
    return [cropped]


def _mask(annotation: Annotation, window: Window, keep: float) -> list[Annotation]:
    import numpy as np

    height, width = annotation["size"]
    mask = rle.decode(rle.check(annotation["rle"], height, width), height, width)
    x, y, w, h = window
    part = np.zeros((h, w), dtype=bool)
    seen = mask[max(y, 0) : max(y + h, 0), max(x, 0) : max(x + w, 0)]
    top, left = max(-y, 0), max(-x, 0)
    part[top : top + seen.shape[0], left : left + seen.shape[1]] = seen
    inside, whole = int(part.sum()), int(mask.sum())
    if not _stays(inside, whole, keep):
        return []
    cropped = annotation | {"size": [h, w], "rle": rle.text_of(rle.encode(part))}
    return [cropped | {"truncated": True}] if inside < whole else [cropped]


def _keypoints(annotation: Annotation, window: Window) -> list[Annotation]:
    points = []
    for x, y, v in annotation["points"]:
        moved = x - window[0], y - window[1]
        points.append([*moved, v] if v and _is_inside(*moved, window) else [0, 0, 0])
    if not any(v for _, _, v in points):
        return []
    cropped = annotation | {"points": points}
    if "w" in annotation:
        x, y, w, h = annotation["x"] - window[0], annotation["y"] - window[1], annotation["w"], annotation["h"]
        left, top, seen_w, seen_h = clip_box(x, y, w, h, window[2], window[3])
        cropped |= {"x": left, "y": top, "w": seen_w, "h": seen_h}
    lost = sum(1 for before, after in zip(annotation["points"], points, strict=True) if before[2] and not after[2])
    return [cropped | {"truncated": True}] if lost else [cropped]


def _polyline(annotation: Annotation, window: Window) -> list[Annotation]:
    flat = _shifted(annotation["points"], window)
    points = list(zip(flat[0::2], flat[1::2], strict=True))
    pieces: list[list[float]] = []
    for a, b in pairwise(points):
        inside = _clip_line(a, b, window[2], window[3])
        if inside is None:
            continue
        if pieces and pieces[-1][-2:] == list(inside[0]):
            pieces[-1] += inside[1]
        else:
            pieces.append([*inside[0], *inside[1]])
    if pieces == [flat]:
        return [annotation | {"points": flat}]
    first, *others = [annotation | {"points": piece, "truncated": True} for piece in pieces] or [{}]
    # The pieces beyond the first are new annotations: two must not share an id.
    return [first, *({k: v for k, v in other.items() if k != "id"} for other in others)] if first else []


def _clip_line(
    a: tuple[float, float], b: tuple[float, float], width: float, height: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The part of a line inside 0..width, 0..height (Liang and Barsky)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    enter, leave = 0.0, 1.0
    for step, room in ((-dx, a[0]), (dx, width - a[0]), (-dy, a[1]), (dy, height - a[1])):
        if step == 0 and room < 0:
            return None
        if step < 0:
            enter = max(enter, room / step)
        elif step > 0:
            leave = min(leave, room / step)
    if enter > leave:
        return None
    start = a if enter == 0 else (a[0] + enter * dx, a[1] + enter * dy)
    end = b if leave == 1 else (a[0] + leave * dx, a[1] + leave * dy)
    return start, end


def _shifted(flat: Sequence[float], window: Window) -> list[float]:
    return [value - window[place % 2] for place, value in enumerate(flat)]


def _is_inside(x: float, y: float, window: Window) -> bool:
    return bool(0 <= x <= window[2] and 0 <= y <= window[3])


def _stays(inside: float, whole: float, keep: float) -> bool:
    if whole <= 0:
        return False
    return inside > 0 and inside >= keep * whole
