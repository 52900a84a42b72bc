"""Use by the minute: written as it goes, read as curves, dropped after a week."""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Database
from tidemill.monitor.schemas import CurvePointView, CurvesView, UseView
from tidemill.monitor.tables import PLATFORM, UsageMinuteRow
from tidemill.monitor.use import Uses, platform_use, uses_by_project

KEPT_FOR = timedelta(days=7)
POINTS_MAX = 300


def look(db: Database, now: datetime) -> None:
    """Adds one look to the minute. A project that holds nothing has no row, which reads as nothing held."""
    minute = now.replace(second=0, microsecond=0)
    with db.read() as session:
        uses = {PLATFORM: platform_use(session), **uses_by_project(session)}
    with db.write() as session:
        for scope, found in uses.items():
            _add(session, scope, minute, found)


def forget_old(db: Database, now: datetime) -> None:
    """Drops what is past its time."""
    with db.write() as session:
        session.execute(sa.delete(UsageMinuteRow).where(UsageMinuteRow.minute < now - KEPT_FOR))


def read_curves(session: Session, scope: str, *, hours: float, now: datetime, current: Uses) -> CurvesView:
    """Use over the last hours, evenly thinned out by means, and how it is now as the last point.

    Minutes in which nobody looked, because the platform was not running, have no point.
    """
    since = now - timedelta(hours=hours)
    watched = _rows(session, PLATFORM, since)
    mine = watched if scope == PLATFORM else _rows(session, scope, since)
    step = timedelta(minutes=max(1, -(-int(hours * 60) // POINTS_MAX)))
    buckets: dict[datetime, list[dict[str, list[float]]]] = {}
    nothing = {name: [use.capacity, 0.0] for name, use in current.items()}
    for minute, all_looks in watched.items():
        start = since + (minute - since) // step * step
        found = mine.get(minute)
        buckets.setdefault(start, []).append(_over(found, all_looks.looks) if found else nothing)
    points = [CurvePointView(at=start, resources=_mean(found)) for start, found in sorted(buckets.items())]
    now_uses = {name: UseView(capacity=use.capacity, used=use.used) for name, use in current.items()}
    return CurvesView(points=[*points, CurvePointView(at=now, resources=now_uses)])


def _rows(session: Session, scope: str, since: datetime) -> dict[datetime, UsageMinuteRow]:
    rows = session.scalars(
        sa.select(UsageMinuteRow)
        .where(UsageMinuteRow.scope == scope, UsageMinuteRow.minute >= since)
        .order_by(UsageMinuteRow.minute)
    )
    return {row.minute: row for row in rows}


def _over(row: UsageMinuteRow, looks: int) -> dict[str, list[float]]:
    """A scope is not looked at while it holds nothing: its mean is over all looks of the minute."""
    part = min(1.0, row.looks / looks)
    return {name: [capacity, used * part] for name, (capacity, used) in row.resources.items()}


def _mean(found: list[dict[str, list[float]]]) -> dict[str, UseView]:
    names = dict.fromkeys(name for resources in found for name in resources)
    means = {}
    for name in names:
        pairs = [resources.get(name, [0.0, 0.0]) for resources in found]
        means[name] = UseView(capacity=pairs[-1][0], used=sum(used for _, used in pairs) / len(pairs))
    return means


def _add(session: Session, scope: str, minute: datetime, found: Uses) -> None:
    row = session.get(UsageMinuteRow, (scope, minute))
    if row is None:
        resources = {name: [use.capacity, use.used] for name, use in found.items()}
        session.add(UsageMinuteRow(scope=scope, minute=minute, looks=1, resources=resources))
        return
    looks = row.looks + 1
    row.resources = {
        name: [use.capacity, (row.resources.get(name, [0, 0.0])[1] * row.looks + use.used) / looks]
        for name, use in found.items()
    }
    row.looks = looks
