"""Polygons: areas, bounds, cutting by a window, and pixels to outlines and back.

A ring is a flat list x, y, x, y, …; the last corner joins the first.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tidemill.geometry import rle
from tidemill.geometry.faults import BadShape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tidemill.geometry.rle import Mask

Ring = Sequence[float]
Box = tuple[float, float, float, float]
_OVERSAMPLING = 5.0


def area(ring: Ring) -> float:
    """The ring's area, whichever way round it goes."""
    return abs(turn(ring)) / 2


def bounds(ring: Ring) -> Box:
    """x, y, w, h around the corners."""
    xs, ys = ring[0::2], ring[1::2]
    left, top = min(xs), min(ys)
    return left, top, max(xs) - left, max(ys) - top


def cut(ring: Ring, width: float, height: float) -> list[float]:
    """The part of the ring inside 0..width, 0..height; empty where there is none."""
    points = list(zip(ring[0::2], ring[1::2], strict=True))
    for axis, limit, keeps_below in ((0, 0.0, False), (0, width, True), (1, 0.0, False), (1, height, True)):
        points = _cut_by_line(points, axis, limit, keeps_below)
    if len(points) < 3:
        return []
    return [value for point in points for value in point]


def _cut_by_line(
    points: list[tuple[float, float]], axis: int, limit: float, keeps_below: bool
) -> list[tuple[float, float]]:
    def is_kept(point: tuple[float, float]) -> bool:
        return point[axis] <= limit if keeps_below else point[axis] >= limit

    kept: list[tuple[float, float]] = []
    for place, point in enumerate(points):
        before = points[place - 1]
        if is_kept(point) != is_kept(before):
            kept.append(_crossing(before, point, axis, limit))
        if is_kept(point):
            kept.append(point)
    return kept


def _crossing(a: tuple[float, float], b: tuple[float, float], axis: int, limit: float) -> tuple[float, float]:
    share = (limit - a[axis]) / (b[axis] - a[axis])
    other = a[1 - axis] + share * (b[1 - axis] - a[1 - axis])
    return (limit, other) if axis == 0 else (other, limit)


def to_counts(ring: Ring, height: int, width: int) -> list[int]:
    """The ring's pixels as runs: the same pixels as pycocotools fills.

    It walks the outline on a grid five times as fine and notes where it passes from column to column; between two such
    places in a column the pixels are inside.
    """
    import numpy as np

    if height * width > rle.MAX_PIXELS or len(ring) < 6:
        raise BadShape("too_few_corners")
    corners = np.asarray(_near(ring, height, width), dtype=np.float64).reshape(-1, 2)
    if not len(corners):
        return [height * width]
    fine = (_OVERSAMPLING * corners + 0.5).astype(np.int64)
    walked = [_walk(a, b) for a, b in zip(fine, np.roll(fine, -1, axis=0), strict=True)]
    us = np.concatenate([u for u, _ in walked])
    vs = np.concatenate([v for _, v in walked])
    moves = np.flatnonzero(us[1:] != us[:-1]) + 1
    us, us_before, vs, vs_before = us[moves], us[moves - 1], vs[moves], vs[moves - 1]
    columns = (np.where(us < us_before, us, us - 1) + 0.5) / _OVERSAMPLING - 0.5
    inside = (np.floor(columns) == columns) & (columns >= 0) & (columns <= width - 1)
    rows = (np.minimum(vs, vs_before) + 0.5) / _OVERSAMPLING - 0.5
    rows = np.ceil(np.clip(rows, 0, height))
    places = np.sort((columns[inside] * height + rows[inside]).astype(np.int64))
    runs = np.diff(places, prepend=0, append=height * width).tolist()
    return _without_empty_runs(runs)


def _near(ring: Ring, height: int, width: int) -> Ring:
    """The ring itself, or what is near the picture of one that goes so far out that walking it would never end."""
    far = 10.0 * (height + width) + 1000.0
    if max(ring) < far and min(ring) > -far:
        return ring
    moved = [value + far for value in ring]
    return [value - far for value in cut(moved, width + 2 * far, height + 2 * far)]


def _walk(a: "NDArray[np.int64]", b: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Grid points from a to b, both included, one a step of the longer axis."""
    import numpy as np

    (xs, ys), (xe, ye) = a.tolist(), b.tolist()
    dx, dy = abs(xe - xs), abs(ye - ys)
    flip = (dx >= dy and xs > xe) or (dx < dy and ys > ye)
    if flip:
        xs, xe, ys, ye = xe, xs, ye, ys
    if dx >= dy:
        slope = (ye - ys) / dx if dx else 0.0
        steps = np.arange(dx, -1, -1) if flip else np.arange(dx + 1)
        return steps + xs, (ys + slope * steps + 0.5).astype(np.int64)
    slope = (xe - xs) / dy
    steps = np.arange(dy, -1, -1) if flip else np.arange(dy + 1)
    return (xs + slope * steps + 0.5).astype(np.int64), steps + ys


def _without_empty_runs(runs: list[int]) -> list[int]:
    """Runs of nothing between two others join these; the first may be empty, it says the mask begins with on."""
    kept: list[int] = []
    place = 0
    while place < len(runs):
        if kept and runs[place] == 0 and place + 1 < len(runs):
            kept[-1] += runs[place + 1]
            place += 2
            continue
        kept.append(runs[place])
        place += 1
    if len(kept) > 1 and kept[-1] == 0:
        kept.pop()
    return kept


def fill(rings: Sequence[Ring], holes: Sequence[int], height: int, width: int) -> "Mask":
    """The pixels of several rings together, less those of the holes; islands in a hole are smaller than it."""
    import numpy as np

    mask = np.zeros((height, width), dtype=bool)
    for number, ring in sorted(enumerate(rings), key=lambda pair: -area(pair[1])):
        filled = rle.decode(to_counts(ring, height, width), height, width)
        mask = mask & ~filled if number in holes else mask | filled
    return mask


def outlines(mask: "Mask") -> tuple[list[list[float]], list[int]]:
    """The mask's outlines along the pixels' edges, exactly: rings, and which of them are holes."""
    import numpy as np

    padded = np.pad(np.asarray(mask, dtype=bool), 1)
    following = _edges(padded)
    rings: list[list[float]] = []
    holes: list[int] = []
    while following:
        ring = _follow(following)
        if turn(ring) < 0:
            holes.append(len(rings))
        rings.append(ring)
    return rings, holes


def _edges(padded: "Mask") -> dict[tuple[int, int], list[tuple[int, int]]]:
    """From each corner to the next ones, with the pixels that are on at the right hand (y grows downwards)."""
    import numpy as np

    following: dict[tuple[int, int], list[tuple[int, int]]] = {}
    # Going right along a pixel's upper edge, down its right, left along its lower and up its left edge.
    for on, off, begin, step in (
        (padded[1:-1, 1:-1], padded[:-2, 1:-1], (0, 0), (1, 0)),
        (padded[1:-1, 1:-1], padded[1:-1, 2:], (1, 0), (0, 1)),
        (padded[1:-1, 1:-1], padded[2:, 1:-1], (1, 1), (-1, 0)),
        (padded[1:-1, 1:-1], padded[1:-1, :-2], (0, 1), (0, -1)),
    ):
        rows, columns = np.nonzero(on & ~off)
        for x, y in zip((columns + begin[0]).tolist(), (rows + begin[1]).tolist(), strict=True):
            following.setdefault((x, y), []).append((x + step[0], y + step[1]))
    return following


def _follow(following: dict[tuple[int, int], list[tuple[int, int]]]) -> list[float]:
    """One closed outline, taken out of the edges; corners in the middle of a straight line are left out."""
    start = next(iter(following))
    here, came = start, (0, 0)
    ring: list[float] = []
    while True:
        choices = following[here]
        there = choices[0] if len(choices) == 1 else _right_turn(here, came, choices)
        choices.remove(there)
        if not choices:
            del following[here]
        step = there[0] - here[0], there[1] - here[1]
        if step != came:
            ring += [float(here[0]), float(here[1])]
        here, came = there, step
        if here == start and (start not in following or _closes(start, came, following[start])):
            return ring


def _right_turn(here: tuple[int, int], came: tuple[int, int], choices: list[tuple[int, int]]) -> tuple[int, int]:
    """Where two pixels touch only at a corner, turning right keeps each outline to its own pixel."""
    wanted = (here[0] - came[1], here[1] + came[0])
    return wanted if wanted in choices else choices[0]


def _closes(start: tuple[int, int], came: tuple[int, int], choices: list[tuple[int, int]]) -> bool:
    return (start[0] - came[1], start[1] + came[0]) not in choices


def turn(ring: Ring) -> float:
    """Twice the area; positive where the ring goes round clockwise, as seen on the screen."""
    xs, ys = ring[0::2], ring[1::2]
    return sum(xs[i - 1] * ys[i] - xs[i] * ys[i - 1] for i in range(len(xs)))


def simplify(ring: Ring, tolerance: float) -> list[float]:
    """The ring with as few corners as stay within the tolerance (Douglas and Peucker)."""
    points = list(zip(ring[0::2], ring[1::2], strict=True))
    if len(points) < 4:
        return list(ring)
    far = max(range(len(points)), key=lambda i: _distance(points[0])(points[i]))
    halves = [points[: far + 1], [*points[far:], points[0]]]
    kept = [point for half in halves for point in _thin(half, tolerance)[:-1]]
    if len(kept) < 3:
        return list(ring)
    return [value for point in kept for value in point]


def _distance(a: tuple[float, float]) -> Callable[[tuple[float, float]], float]:
    return lambda b: (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _thin(points: list[tuple[float, float]], tolerance: float) -> list[tuple[float, float]]:
    keep = [False] * len(points)
    keep[0] = keep[-1] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        worst, place = 0.0, first
        for number in range(first + 1, last):
            away = _off_line(points[number], points[first], points[last])
            if away > worst:
                worst, place = away, number
        if worst > tolerance:
            keep[place] = True
            spans += [(first, place), (place, last)]
    return [point for point, is_kept in zip(points, keep, strict=True) if is_kept]


def _off_line(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    length = _distance(a)(b) ** 0.5
    if length == 0:
        return float(_distance(a)(point) ** 0.5)
    return float(abs((b[0] - a[0]) * (a[1] - point[1]) - (a[0] - point[0]) * (b[1] - a[1])) / length)
