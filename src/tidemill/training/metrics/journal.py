"""Curves as the MLflow client writes them: every value that was logged is kept, several of one step among them.

Values are added at the end, in the order they came, so that adding one costs the same however long the curve is, and no
matter which steps it goes over again. The n-th stretch holds the points from n × `CHUNK_POINTS` on. What was sent
twice, because an answer got lost, is the same in all three columns and counts once when it is read.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import in_batches
from tidemill.training.metrics.points import Point, Points, in_order
from tidemill.training.tables import ChunkRow

CHUNK_POINTS = 500
_POINT = struct.Struct("<qdq")
WIDTH_BYTES = _POINT.size


def pack(points: Iterable[tuple[int, float, int]]) -> bytes:
    """Step, value and milliseconds of each."""
    return b"".join(_POINT.pack(*point) for point in points)


def unpack(data: bytes) -> Iterator[tuple[int, float, int]]:
    return _POINT.iter_unpack(data)


def read_all(session: Session, series_id: str) -> list[tuple[int, float, int]]:
    """Every value of a curve once, by step and time."""
    stretches = session.scalars(
        sa.select(ChunkRow.data).where(ChunkRow.series_id == series_id).order_by(ChunkRow.first_step)
    )
    return sorted(dict.fromkeys(chain.from_iterable(map(unpack, stretches))), key=_by_step_and_time)


def load(session: Session, series_ids: Sequence[str]) -> Iterator[tuple[str, Points]]:
    """Each curve with one value a step, the newest of it: as it is drawn."""
    for ids in in_batches(series_ids):
        found: dict[str, list[bytes]] = {series_id: [] for series_id in ids}
        rows = sa.select(ChunkRow.series_id, ChunkRow.data).where(ChunkRow.series_id.in_(ids))
        for series_id, data in session.execute(rows.order_by(ChunkRow.series_id, ChunkRow.first_step)):
            found[series_id].append(data)
        for series_id, stretches in found.items():
            points = sorted(chain.from_iterable(map(unpack, stretches)), key=_by_step_and_time)
            yield series_id, in_order(map(Point._make, points))


def _by_step_and_time(point: tuple[int, float, int]) -> tuple[int, int]:
    return point[0], point[2]
