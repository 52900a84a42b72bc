"""Logging to a run: metrics, parameters, tags. A handful of small statements each, put together once."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Base, take_turn
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.prepared import Prepared
from tidemill.tracking.targets import Target
from tidemill.training.facts import parameter_values
from tidemill.training.metrics import journal
from tidemill.training.metrics.series import POINTS_MAX, SERIES_MAX, claim_key
from tidemill.training.tables import ChunkRow, ParameterRow, RunRow, SeriesRow

NAME_TAG = "mlflow.runName"
KEY_MAX = 300
"""Of a name, as lists are sorted and searched by it: an index holds no long texts."""
ONE_BY_ONE = 3
"""Curves up to so many are looked for one by one; more in one look at all of the run's."""
PARAMETERS_MAX = 2000
"""Of one run."""

Measured = tuple[int, float, int]
"""Step, value, milliseconds."""


def add_metrics(session: Session, target: Target, by_key: Mapping[str, list[Measured]]) -> None:
    """Adds values at the end of their curves."""
    take_turn(session, f"metrics:{target.id}")
    known, others = _find_curves(session, target, by_key)
    if len(known) < len(by_key):
        _check_room(session, target, len(by_key.keys() - known.keys()))
    new: list[_New] = []
    for key, points in by_key.items():
        curve = known.get(key)
        if curve is None:
            # Only where another source has the key, too, is there something to decide.
            experiment_id = claim_key(session, target.id, "mlflow", key) if key in others else target.experiment_id
            new.append(_New(_Curve(new_id("srs"), 0, -(2**62), -(2**62), None, None, None, None), key, experiment_id))
        else:
            _append(session, curve, points)
    _begin(session, target, new, by_key)


def add_parameters(session: Session, target: Target, given: Mapping[str, str]) -> None:
    """Parameters are what a run was started with: each is said once, and the same again changes nothing."""
    for key, value in given.items():
        columns = parameter_values(value)
        if _ADD_PARAMETER.run(session, run=target.id, key=key, experiment=target.experiment_id, **columns):
            continue
        ((before,),) = _PARAMETER.rows(session, run=target.id, key=key)
        if before != value:
            raise Invalid("parameter_changed", field=key[:100], key=key[:100], before=before[:100], after=value[:100])


def set_tags(session: Session, target: Target, given: Mapping[str, str]) -> None:
    """Tags may change at any time; one of them is the run's name."""
    for key, value in given.items():
        _SET_TAG.run(session, run=target.id, key=key, value=value)
    if name := given.get(NAME_TAG):
        rename(session, target.id, name)


def rename(session: Session, run_id: str, name: str) -> None:
    _RENAME.run(session, b_run=run_id, name=name, name_key=name_key(name)[:KEY_MAX])


class _Curve(NamedTuple):
    """A curve as it is before something is added."""

    id: str
    points: int
    last_step: int
    last_at_ms: int
    last_value: float | None
    last_special: str | None
    min_value: float | None
    max_value: float | None


class _New(NamedTuple):
    """A curve to begin, and the experiment that counts it."""

    curve: _Curve
    key: str
    experiment_id: str | None


def _find_curves(session: Session, target: Target, keys: Iterable[str]) -> tuple[dict[str, _Curve], set[str]]:
    """The curves to add to, and keys that another source has; many are found in one look."""
    wanted = list(keys)
    if len(wanted) > ONE_BY_ONE:
        rows = _CURVES.rows(session, run=target.id)
    else:
        rows = [row for key in wanted for row in _CURVE.rows(session, run=target.id, key=key)]
    known = {row[0]: _Curve(*row[2:]) for row in rows if row[1] == "mlflow"}
    return known, {row[0] for row in rows if row[1] != "mlflow"}


def _begin(session: Session, target: Target, new: list[_New], by_key: Mapping[str, list[Measured]]) -> None:
    """Many new curves at once: a run's first words are often all of them."""
    _ADD_CURVE.run_all(
        session,
        [
            {"id": curve.id, "run": target.id, "key": key, "experiment": experiment_id, **_after(curve, by_key[key])}
            for curve, key, experiment_id in new
        ],
    )
    longer = [(curve.id, by_key[key]) for curve, key, _ in new if len(by_key[key]) > 1]
    _BEGIN.run_all(session, [piece for curve_id, points in longer for piece in _stretches(curve_id, points)])


def _stretches(curve_id: str, points: list[Measured]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(points), journal.CHUNK_POINTS):
        piece = points[start : start + journal.CHUNK_POINTS]
        yield {"b_id": curve_id, "b_first": start, "last": start + len(piece) - 1, "data": journal.pack(piece)}


def _check_room(session: Session, target: Target, more: int) -> None:
    ((count,),) = _COUNT_CURVES.rows(session, run=target.id)
    if count + more > SERIES_MAX:
        raise Conflict("curves_too_many", name=target.name, max=SERIES_MAX)


def _append(session: Session, curve: _Curve, points: list[Measured]) -> None:
    values = _after(curve, points)
    _write(session, curve, journal.pack(points))
    _NOTE.run(session, b_id=curve.id, **values)


def _after(curve: _Curve, points: list[Measured]) -> dict[str, Any]:
    """What is noted of the curve once it has these points, too; raises Conflict when it cannot have them."""
    if curve.points + len(points) > POINTS_MAX:
        raise Conflict("curve_full", max=POINTS_MAX)
    last_step, last_value, last_at_ms = max(points, key=_by_step_and_time) if len(points) > 1 else points[0]
    is_finite = math.isfinite(last_value)
    value, special = (last_value, None) if is_finite else (None, str(last_value))
    if (last_step, last_at_ms) < (curve.last_step, curve.last_at_ms):
        last_step, last_at_ms, value, special = curve.last_step, curve.last_at_ms, curve.last_value, curve.last_special
    low, high = _extremes(curve, points)
    return {
        "count": curve.points + len(points),
        "last_step": last_step,
        "last_at_ms": last_at_ms,
        "last_value": value,
        "last_special": special,
        "min_value": low,
        "max_value": high,
    }


def _by_step_and_time(point: Measured) -> tuple[int, int]:
    return point[0], point[2]


def _write(session: Session, curve: _Curve, data: bytes) -> None:
    """Into the last stretch while that has room, then into new ones."""
    begun = curve.points % journal.CHUNK_POINTS
    first = curve.points - begun
    has_stretch = False
    if begun:
        rows = _STRETCH.rows(session, id=curve.id, first=first)
        has_stretch = bool(rows)
        data = (rows[0][0] if rows else _only_point(curve)) + data
    size = journal.CHUNK_POINTS * journal.WIDTH_BYTES
    for place in range(0, len(data), size):
        piece = data[place : place + size]
        last = first + len(piece) // journal.WIDTH_BYTES - 1
        (_GROW if has_stretch and not place else _BEGIN).run(
            session, b_id=curve.id, b_first=first, last=last, data=piece
        )
        first = last + 1


def _only_point(curve: _Curve) -> bytes:
    assert curve.points == 1
    return journal.pack([journal.only_point(curve.last_step, curve.last_value, curve.last_special, curve.last_at_ms)])


def _extremes(curve: _Curve, points: Iterable[Measured]) -> tuple[float | None, float | None]:
    finite = [value for _, value, _ in points if math.isfinite(value)]
    finite += [value for value in (curve.min_value, curve.max_value) if value is not None]
    return (min(finite), max(finite)) if finite else (None, None)


def table_of(row: type[Base]) -> sa.Table:
    """The table itself: statements over it are put together without what mapped classes add."""
    found = row.__table__
    assert isinstance(found, sa.Table)
    return found


def _bind(name: str, kind: Any = None) -> Any:
    return sa.bindparam(name, type_=kind or sa.Text())


_SERIES, _CHUNKS = table_of(SeriesRow), table_of(ChunkRow)
_series, _chunks, _parameters = _SERIES.c, _CHUNKS.c, table_of(ParameterRow).c
_RUNS = table_of(RunRow)
_FOUND = (
    _series.key, _series.source, _series.id, _series.count, _series.last_step, _series.last_at_ms, _series.last_value,
    _series.last_special, _series.min_value, _series.max_value,
)  # fmt: skip
_CURVE = Prepared(sa.select(*_FOUND).where(_series.run_id == _bind("run"), _series.key == _bind("key")))
_CURVES = Prepared(sa.select(*_FOUND).where(_series.run_id == _bind("run")))
_COUNT_CURVES = Prepared(sa.select(sa.func.count()).where(_series.run_id == _bind("run")))
_NOTED = ("count", "last_step", "last_at_ms", "last_value", "last_special", "min_value", "max_value")
_VALUES = {name: _bind(name, _series[name].type) for name in _NOTED}
_ADD_CURVE = Prepared(
    sa.insert(_SERIES).values(
        id=_bind("id"),
        run_id=_bind("run"),
        key=_bind("key"),
        source=sa.literal("mlflow"),
        experiment_id=_bind("experiment"),
        **_VALUES,
    )
)
_NOTE = Prepared(sa.update(_SERIES).where(_series.id == _bind("b_id")).values(_VALUES))
_STRETCH = Prepared(
    sa.select(_chunks.data).where(
        _chunks.series_id == _bind("id"), _chunks.first_step == _bind("first", sa.BigInteger())
    )
)
_BEGIN = Prepared(
    sa.insert(_CHUNKS).values(
        series_id=_bind("b_id"),
        first_step=_bind("b_first", sa.BigInteger()),
        last_step=_bind("last", sa.BigInteger()),
        data=_bind("data", sa.LargeBinary()),
    )
)
_GROW = Prepared(
    sa.update(_CHUNKS)
    .where(_chunks.series_id == _bind("b_id"), _chunks.first_step == _bind("b_first", sa.BigInteger()))
    .values(last_step=_bind("last", sa.BigInteger()), data=_bind("data", sa.LargeBinary()))
)
_PARAMETER = Prepared(
    sa.select(_parameters.value).where(_parameters.run_id == _bind("run"), _parameters.key == _bind("key"))
)
_ADD_PARAMETER = Prepared(
    sa.text(
        "INSERT INTO run_parameters (run_id, key, experiment_id, value, sort_key, number)"
        " VALUES (:run, :key, :experiment, :value, :sort_key, :number) ON CONFLICT (run_id, key) DO NOTHING"
    ).bindparams(sa.bindparam("number", type_=sa.Double()))
)
_SET_TAG = Prepared(
    sa.text(
        "INSERT INTO run_tags (run_id, key, value) VALUES (:run, :key, :value)"
        " ON CONFLICT (run_id, key) DO UPDATE SET value = excluded.value"
    )
)
_RENAME = Prepared(
    sa.update(_RUNS).where(_RUNS.c.id == _bind("b_run")).values(name=_bind("name"), name_key=_bind("name_key"))
)
