"""Lines of text from a map of where text is (as differentiable binarisation makes it): rectangles, perhaps turned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
INK = 0.3
"""From here on a pixel of the map is text."""
SURE = 0.5
SMALLEST = 3
UNCLIP = 1.6
"""The map shows the middle of lines; this much larger they are whole."""
MOST = 1000


@dataclass(frozen=True, slots=True)
class Region:
    """Four corners (x, y), clockwise from where the text begins, and how sure it is that there is text."""

    corners: Array
    score: float


def find(chances: Array, *, unclip: float = UNCLIP, smallest: float = SMALLEST) -> list[Region]:
    """Regions of a map of chances (rows by columns), in reading order, in its pixels."""
    found = []
    for rows, columns in pieces(chances > INK)[:MOST]:
        score = float(chances[rows, columns].mean())
        corners = smallest_rectangle(_edge(rows, columns))
        if score < SURE or _sides(corners).min() < smallest:
            continue
        found.append(Region(grown(corners, unclip), score))
    return sorted(found, key=lambda region: _reading_order(region.corners))


def pieces(mask: Array) -> list[tuple[Array, Array]]:
    """Rows and columns of the pixels of each piece that hangs together (corners touch), the largest first."""
    starts, ends, lines = _runs(mask)
    if not len(starts):
        return []
    roots = _joined(starts, ends, lines)
    grouped: dict[int, list[int]] = {}
    for run, root in enumerate(roots):
        grouped.setdefault(root, []).append(run)
    made = []
    for runs in grouped.values():
        rows = np.concatenate([np.full(ends[run] - starts[run], lines[run]) for run in runs])
        made.append((rows, np.concatenate([np.arange(starts[run], ends[run]) for run in runs])))
    return sorted(made, key=lambda piece: -len(piece[0]))


def smallest_rectangle(points: Array) -> Array:
    """The smallest rectangle around points: its corners, clockwise, from the upper left of the text."""
    hull = _hull(points)
    if len(hull) < 3:
        low, high = points.min(axis=0), points.max(axis=0)
        return np.array([low, [high[0], low[1]], high, [low[0], high[1]]], dtype=np.float64)
    edges = np.roll(hull, -1, axis=0) - hull
    angles = np.unique(np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2))
    cos, sin = np.cos(angles), np.sin(angles)
    along, beside = hull @ np.stack([cos, sin]), hull @ np.stack([-sin, cos])
    areas = np.ptp(along, axis=0) * np.ptp(beside, axis=0)
    best = int(areas.argmin())
    a, b = along[:, best], beside[:, best]
    turn = np.array([[cos[best], sin[best]], [-sin[best], cos[best]]])
    corners = np.array([[a.min(), b.min()], [a.max(), b.min()], [a.max(), b.max()], [a.min(), b.max()]]) @ turn
    return _from_upper_left(corners)


def grown(corners: Array, ratio: float = UNCLIP) -> Array:
    """The rectangle larger on all sides, by its area over its outline."""
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    width, height = np.linalg.norm(across), np.linalg.norm(down)
    more = width * height * ratio / (2 * (width + height) or 1)
    right, below = across / (width or 1) * more, down / (height or 1) * more
    return corners + np.array([-right - below, right - below, right + below, below - right])


def _runs(mask: Array) -> tuple[Array, Array, Array]:
    """Begin, end and line of every run of set pixels."""
    padded = np.pad(mask.astype(np.int8), ((0, 0), (1, 1)))
    steps = np.diff(padded, axis=1)
    lines, starts = np.nonzero(steps == 1)
    _, ends = np.nonzero(steps == -1)
    return starts, ends, lines


def _joined(starts: Array, ends: Array, lines: Array) -> list[int]:
    """For each run the first run of its piece: runs of neighbouring lines that touch belong together."""
    parents = list(range(len(starts)))

    def root(run: int) -> int:
        while parents[run] != run:
            parents[run] = parents[parents[run]]
            run = parents[run]
        return run

    begins = np.searchsorted(lines, np.arange(int(lines[-1]) + 2))
    for line in range(1, int(lines[-1]) + 1):
        above, stop, run = int(begins[line - 1]), int(begins[line]), int(begins[line])
        while above < stop and run < begins[line + 1]:
            if starts[run] <= ends[above] and starts[above] <= ends[run]:
                a, b = root(run), root(above)
                parents[max(a, b)] = min(a, b)
            if ends[above] < ends[run]:
                above += 1
            else:
                run += 1
    return [root(run) for run in range(len(starts))]


def _edge(rows: Array, columns: Array) -> Array:
    """Corners of the pixels at both ends of every line: what is around them is around all."""
    lines = np.unique(rows)
    first = np.full(int(lines[-1]) + 1, np.iinfo(np.int64).max)
    last = np.full(int(lines[-1]) + 1, -1)
    np.minimum.at(first, rows, columns)
    np.maximum.at(last, rows, columns)
    ends = [(first[lines], 0), (last[lines], 1)]
    return np.concatenate(
        [np.column_stack([side + more, lines + below]) for side, more in ends for below in (0, 1)]
    ).astype(np.float64)


def _hull(points: Array) -> Array:
    """Corners of the convex hull (monotone chain)."""
    ordered = np.unique(points, axis=0).tolist()
    if len(ordered) < 3:
        return np.array(ordered)

    def half(given: Sequence[list[float]]) -> list[list[float]]:
        chain: list[list[float]] = []
        for x, y in given:
            while len(chain) > 1:
                (x0, y0), (x1, y1) = chain[-2], chain[-1]
                if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0:
                    break
                chain.pop()
            chain.append([x, y])
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _from_upper_left(corners: Array) -> Array:
    """Clockwise, beginning with the corner that is most to the upper left."""
    middle = corners.mean(axis=0)
    order = np.argsort(np.arctan2(*(corners - middle).T[::-1]))
    clockwise = corners[order]
    return np.roll(clockwise, -int((clockwise.sum(axis=1)).argmin()), axis=0)


def _sides(corners: Array) -> Array:
    return np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)


def _reading_order(corners: Array) -> tuple[float, float]:
    height = float(np.linalg.norm(corners[3] - corners[0])) or 1.0
    return round(float(corners[:, 1].mean()) / max(height, 10.0)), float(corners[:, 0].min())
