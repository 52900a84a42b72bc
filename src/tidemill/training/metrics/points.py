"""Points of one curve in three columns, and their packed form.

A curve is kept as a few rows of packed columns instead of a row a point: twenty curves of ten thousand points are read
in a blink and take 24 bytes a point.
"""

import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

WIDTH_BYTES = 24


class Point(NamedTuple):
    """A value at a step, and when it was measured."""

    step: int
    value: float
    at_ms: int


@dataclass(slots=True)
class Points:
    """Columns of equal length, ordered by step, one value a step."""

    steps: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    times: "array[int]" = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Point]:
        return map(Point._make, zip(self.steps, self.values, self.times, strict=True))

    def add(self, point: Point) -> None:
        """At the end."""
        self.steps.append(point.step)
        self.values.append(point.value)
        self.times.append(point.at_ms)

    def extend(self, other: "Points") -> None:
        self.steps.extend(other.steps)
        self.values.extend(other.values)
        self.times.extend(other.times)

    def part(self, start: int, end: int) -> "Points":
        return Points(self.steps[start:end], self.values[start:end], self.times[start:end])


def pack(points: Points) -> bytes:
    return points.steps.tobytes() + points.values.tobytes() + points.times.tobytes()


def unpack(data: bytes) -> Points:
    third = len(data) // 3
    found = Points()
    found.steps.frombytes(data[:third])
    found.values.frombytes(data[third : 2 * third])
    found.times.frombytes(data[2 * third :])
    return found


def in_order(points: Iterable[Point]) -> Points:
    """By step; of several values for one step the last given counts."""
    by_step = {point.step: point for point in points}
    ordered = Points()
    for point in sorted(by_step.values(), key=itemgetter(0)):
        ordered.add(point)
    return ordered


def merge(old: Points, new: Points) -> Points:
    """Both together; where both have a step, the new value counts: a resumed run goes over some steps again."""
    return in_order([*old, *new])


def thin_out(points: Points, most: int) -> Points:
    """At most so many points that still show every peak: the lowest, the highest and the last of each stretch."""
    if len(points) <= most:
        return points
    stretches = max(1, (most - 1) // 3)
    kept: list[int] = [0]
    for number in range(stretches):
        start = number * len(points) // stretches
        end = (number + 1) * len(points) // stretches
        kept.extend(sorted({*_extremes(points.values, start, end), end - 1}))
    thinned = Points()
    for index in dict.fromkeys(kept):
        thinned.add(Point(points.steps[index], points.values[index], points.times[index]))
    return thinned


def _extremes(values: "array[float]", start: int, end: int) -> tuple[int, ...]:
    stretch = values[start:end]
    finite = stretch if all(map(math.isfinite, stretch)) else [value for value in stretch if math.isfinite(value)]
    if not finite:
        return ()
    return start + stretch.index(min(finite)), start + stretch.index(max(finite))
