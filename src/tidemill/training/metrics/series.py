"""Curves in the database: points added, stretches kept full, curves read."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import in_batches, take_turn
from tidemill.kernel.ids import new_id
from tidemill.training.metrics import journal
from tidemill.training.metrics.points import Point, Points, in_order, merge, pack, unpack
from tidemill.training.tables import ChunkRow, RunRow, SeriesRow

Source = Literal["sdk", "mlflow", "tensorboard", "log"]

CHUNK_POINTS = 500
SERIES_MAX = 1000
POINTS_MAX = 1_000_000
"""Of one curve; what comes after is not kept."""

_PRECEDENCE: dict[str, int] = {"sdk": 0, "mlflow": 1, "tensorboard": 2, "log": 3}


class Incoming:
    """Points on their way into one run's curves. A point without a step is one past the last of its curve."""

    def __init__(self) -> None:
        self.by_key: dict[str, list[tuple[int | None, float, int]]] = {}

    def add(self, key: str, step: int | None, value: float, at_ms: int) -> None:
        self.by_key.setdefault(key, []).append((step, value, at_ms))

    def __bool__(self) -> bool:
        return bool(self.by_key)


def add_points(session: Session, run_id: str, source: Source, incoming: Incoming) -> int:
    """Adds the points; how many curves changed. The same point given twice is there once."""
    take_turn(session, f"metrics:{run_id}")
    known = {
        row.key: row
        for keys in in_batches(list(incoming.by_key))
        for row in session.scalars(
            sa.select(SeriesRow).where(SeriesRow.run_id == run_id, SeriesRow.source == source, SeriesRow.key.in_(keys))
        )
    }
    room = SERIES_MAX - _count_series(session, run_id) if len(known) < len(incoming.by_key) else 0
    changed = 0
    for key, given in incoming.by_key.items():
        row = known.get(key)
        if row is None:
            if room <= 0:
                continue
            room -= 1
            row = _new_series(session, run_id, source, key)
        _add(session, row, given)
        changed += 1
    session.flush()
    return changed


def list_series(session: Session, run_ids: Sequence[str], keys: Sequence[str] | None = None) -> list[SeriesRow]:
    """One curve a key and run, by key: where several sources give a key, the SDK counts before files before output."""
    statement = sa.select(SeriesRow).where(SeriesRow.run_id.in_(run_ids))
    if keys is not None:
        statement = statement.where(SeriesRow.key.in_(keys))
    best: dict[tuple[str, str], SeriesRow] = {}
    for row in session.scalars(statement):
        other = best.get((row.run_id, row.key))
        if other is None or _PRECEDENCE[row.source] < _PRECEDENCE[other.source]:
            best[row.run_id, row.key] = row
    return [best[place] for place in sorted(best)]


def load_points(session: Session, rows: Iterable[SeriesRow], since_step: int | None = None) -> dict[str, Points]:
    """The points of each curve, by its id; with `since_step` only those after it."""
    listed = list(rows)
    found = {row.id: Points() for row in listed if row.source != "mlflow"}
    journals = [row for row in listed if row.source == "mlflow"]
    curves = {
        id: curve if since_step is None else _after(curve, since_step) for id, curve in journal.load(session, journals)
    }
    for ids in in_batches(list(found)):
        statement = (
            sa.select(ChunkRow.series_id, ChunkRow.data)
            .where(ChunkRow.series_id.in_(ids))
            .order_by(ChunkRow.series_id, ChunkRow.first_step)
        )
        if since_step is not None:
            statement = statement.where(ChunkRow.last_step > since_step)
        for series_id, data in session.execute(statement):
            found[series_id].extend(unpack(data))
    if since_step is not None:
        found = {id: _after(points, since_step) for id, points in found.items()}
    return found | curves


def last_values(session: Session, run_ids: Sequence[str]) -> Mapping[str, dict[str, float | None]]:
    """The newest value of every curve, by run; None where it is not a number."""
    found: dict[str, dict[str, float | None]] = {run_id: {} for run_id in run_ids}
    for row in list_series(session, run_ids):
        found[row.run_id][row.key] = row.last_value
    return found


def _count_series(session: Session, run_id: str) -> int:
    return session.scalar(sa.select(sa.func.count()).where(SeriesRow.run_id == run_id)) or 0


def _new_series(session: Session, run_id: str, source: Source, key: str) -> SeriesRow:
    experiment_id = claim_key(session, run_id, source, key)
    row = SeriesRow(
        id=new_id("srs"),
        run_id=run_id,
        key=key,
        source=source,
        experiment_id=experiment_id,
        count=0,
        last_step=-1,
        last_at_ms=0,
    )
    session.add(row)
    session.flush()
    return row


def claim_key(session: Session, run_id: str, source: Source, key: str) -> str | None:
    """The run's experiment when a new curve from that source is the one that counts for the key; None when not."""
    others = session.execute(
        sa.select(SeriesRow.id, SeriesRow.source).where(SeriesRow.run_id == run_id, SeriesRow.key == key)
    ).all()
    if any(_PRECEDENCE[other] < _PRECEDENCE[source] for _, other in others):
        return None
    if others:
        # ORM rows of the same key may be at hand in this session: they are told, too.
        lesser = sa.update(SeriesRow).where(SeriesRow.id.in_([series_id for series_id, _ in others]))
        session.execute(lesser.values(experiment_id=None))
    return session.scalar(sa.select(RunRow.experiment_id).where(RunRow.id == run_id))


def _add(session: Session, row: SeriesRow, given: list[tuple[int | None, float, int]]) -> None:
    points = in_order(_with_steps(row, given))
    first = points.steps[0]
    overlapping = session.scalars(
        sa.select(ChunkRow)
        .where(ChunkRow.series_id == row.id, ChunkRow.last_step >= first)
        .order_by(ChunkRow.first_step)
    ).all()
    old = Points()
    for chunk in overlapping or _open_chunk(session, row):
        old.extend(unpack(chunk.data))
        session.delete(chunk)
    session.flush()
    rest = row.count - len(old)
    whole = merge(old, points) if overlapping else _joined(old, points)
    count = rest + len(whole)
    if count > POINTS_MAX:
        whole = whole.part(0, max(0, len(whole) - (count - POINTS_MAX)))
        count = POINTS_MAX
    _write(session, row.id, whole)
    _note(row, count, whole)


def _with_steps(row: SeriesRow, given: list[tuple[int | None, float, int]]) -> Iterable[Point]:
    following = row.last_step + 1
    for step, value, at_ms in given:
        this = following if step is None else step
        following = max(following, this + 1)
        yield Point(this, value, at_ms)


def _open_chunk(session: Session, row: SeriesRow) -> list[ChunkRow]:
    """The last stretch, when it has room."""
    last = session.scalar(
        sa.select(ChunkRow).where(ChunkRow.series_id == row.id).order_by(ChunkRow.first_step.desc()).limit(1)
    )
    return [last] if last is not None and len(unpack(last.data)) < CHUNK_POINTS else []


def _joined(old: Points, new: Points) -> Points:
    old.extend(new)
    return old


def _write(session: Session, series_id: str, points: Points) -> None:
    for start in range(0, len(points), CHUNK_POINTS):
        part = points.part(start, start + CHUNK_POINTS)
        session.add(ChunkRow(series_id=series_id, first_step=part.steps[0], last_step=part.steps[-1], data=pack(part)))


def _note(row: SeriesRow, count: int, rewritten: Points) -> None:
    """The curve's summary. Values that were replaced may leave a lowest or highest behind that is no more: the same run
    did reach it."""
    row.count = count
    if len(rewritten) and rewritten.steps[-1] >= row.last_step:
        last = rewritten.values[-1]
        row.last_step, row.last_at_ms = rewritten.steps[-1], rewritten.times[-1]
        row.last_value = last if math.isfinite(last) else None
        row.last_special = None if math.isfinite(last) else str(last)
    finite = [value for value in rewritten.values if math.isfinite(value)]
    if finite:
        row.min_value = min(finite) if row.min_value is None else min(row.min_value, *finite)
        row.max_value = max(finite) if row.max_value is None else max(row.max_value, *finite)


def _after(points: Points, step: int) -> Points:
    start = next((index for index, this in enumerate(points.steps) if this > step), len(points))
    return points.part(start, len(points))
