"""Curves as the MLflow client writes them: every value that was logged is kept, several of one step among them.

Values are added at the end, in the order they came, so that adding one costs the same however long the curve is, and no
matter which steps it goes over again. The n-th stretch holds the points from n × `CHUNK_POINTS` on. A curve of a single
point has no stretch: what is noted of the curve is all of it, and many never get a second one. What was sent twice,
because an answer got lost, is the same in all three columns and counts once when it is read.
"""

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import in_batches
from tidemill.training.metrics.points import Point, Points, in_order
from tidemill.training.tables import ChunkRow, SeriesRow

CHUNK_POINTS = 500
_POINT = struct.Struct("<qdq")
WIDTH_BYTES = _POINT.size


def pack(points: Iterable[tuple[int, float, int]]) -> bytes:
    """Step, value and milliseconds of each."""
    return b"".join(_POINT.pack(*point) for point in points)


def unpack(data: bytes) -> Iterator[tuple[int, float, int]]:
    return _POINT.iter_unpack(data)


def only_point(step: int, value: float | None, special: str | None, at_ms: int) -> tuple[int, float, int]:
    """The point of a curve that has one, from what is noted of its last."""
    return step, float(special or "nan") if value is None else value, at_ms


def read_all(session: Session, series: SeriesRow) -> list[tuple[int, float, int]]:
    """Every value of a curve once, by step and time."""
    stretches = session.scalars(
        sa.select(ChunkRow.data).where(ChunkRow.series_id == series.id).order_by(ChunkRow.first_step)
    )
    points = _points(series, stretches)
    if any(value != value for _, value, _ in points):
        # What is no number is like nothing else, unless it is the very same.
        points = [(step, value if value == value else math.nan, at_ms) for step, value, at_ms in points]
    return sorted(dict.fromkeys(points), key=_by_step_and_time)


def load(session: Session, curves: Sequence[SeriesRow]) -> Iterator[tuple[str, Points]]:
    """Each curve with one value a step, the newest of it: as it is drawn."""
    for some in in_batches(curves):
        found: dict[str, list[bytes]] = {series.id: [] for series in some}
        rows = sa.select(ChunkRow.series_id, ChunkRow.data).where(ChunkRow.series_id.in_(found))
        for series_id, data in session.execute(rows.order_by(ChunkRow.series_id, ChunkRow.first_step)):
            found[series_id].append(data)
        for series in some:
            points = sorted(_points(series, found[series.id]), key=_by_step_and_time)
            yield series.id, in_order(map(Point._make, points))


def _points(series: SeriesRow, stretches: Iterable[bytes]) -> list[tuple[int, float, int]]:
    points = list(chain.from_iterable(map(unpack, stretches)))
    if not points and series.count == 1:
        points = [only_point(series.last_step, series.last_value, series.last_special, series.last_at_ms)]
    return points


def _by_step_and_time(point: tuple[int, float, int]) -> tuple[int, int]:
    return point[0], point[2]
