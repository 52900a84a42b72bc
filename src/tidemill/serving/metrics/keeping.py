"""Counts in the database: ten seconds, a minute, an hour each; what is narrow is kept for shorter."""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import upsert
from tidemill.serving.metrics.counts import Counts, add, together
from tidemill.serving.tables import MetricRow

TEN, MINUTE, HOUR = 10, 60, 3600
KEPT_S = {TEN: 2 * 3600, MINUTE: 2 * 86_400, HOUR: 90 * 86_400}
"""How long counts of each step are kept."""
_FROM = {MINUTE: TEN, HOUR: MINUTE}
_LATE_S = 30
"""A step is summed up once nothing more can come to it."""


class Key(NamedTuple):
    """Whose counts they are."""

    service_id: str
    number: int
    """Of the deployment."""
    replica_id: str
    is_shadow: bool = False
    """Of copies that it was shown."""


def put(session: Session, key: Key, counts: Counts, now: datetime) -> None:
    """Adds what was counted to the ten seconds of now."""
    at = int(now.timestamp()) // TEN * TEN
    row = session.get(MetricRow, (key.service_id, TEN, at, key.number, key.replica_id, key.is_shadow))
    if row is None:
        session.add(MetricRow(**key._asdict(), step_s=TEN, at=at, counts=counts.to_json()))
    else:
        row.counts = add([Counts.from_json(row.counts), counts]).to_json()


def roll_up(session: Session, now: datetime) -> None:
    """Sums up what is complete, and forgets what is old. Done again it changes nothing."""
    now_s = int(now.timestamp())
    for step in (MINUTE, HOUR):
        last = (now_s - _LATE_S) // step * step
        done = session.scalar(sa.select(sa.func.max(MetricRow.at)).where(MetricRow.step_s == step))
        first = last - 3 * step if done is None else max(done, last - KEPT_S[_FROM[step]])
        if done is None:
            oldest = session.scalar(sa.select(sa.func.min(MetricRow.at)).where(MetricRow.step_s == _FROM[step]))
            first = (oldest if oldest is not None else last) // step * step
        _sum_up(session, step, first, last)
    for step, kept in KEPT_S.items():
        session.execute(sa.delete(MetricRow).where(MetricRow.step_s == step, MetricRow.at < now_s - kept))


def _sum_up(session: Session, step: int, first: int, last: int) -> None:
    narrow = session.scalars(
        sa.select(MetricRow).where(MetricRow.step_s == _FROM[step], MetricRow.at >= first, MetricRow.at < last)
    )
    sums = widen([(_key(row, step), row.at, Counts.from_json(row.counts)) for row in narrow], step)
    for (key, at), counts in sums.items():
        statement = upsert(session, MetricRow).values(**key._asdict(), step_s=step, at=at, counts=counts.to_json())
        session.execute(
            statement.on_conflict_do_update(
                index_elements=["service_id", "step_s", "at", "number", "replica_id", "is_shadow"],
                set_={"counts": statement.excluded.counts},
            )
        )


def widen(narrow: list[tuple[Key, int, Counts]], step: int) -> dict[tuple[Key, int], Counts]:
    """Counts by wider steps. Several of one key at one time (replicas no longer told apart) were at work together."""
    at_once: defaultdict[tuple[Key, int], list[Counts]] = defaultdict(list)
    for key, at, counts in narrow:
        at_once[key, at].append(counts)
    found: defaultdict[tuple[Key, int], list[Counts]] = defaultdict(list)
    for (key, at), some in at_once.items():
        found[key, at // step * step].append(together(some))
    return {place: add(some) for place, some in found.items()}


def _key(row: MetricRow, step: int) -> Key:
    """By the hour, replicas are not told apart any more: they come and go."""
    return Key(row.service_id, row.number, "" if step == HOUR else row.replica_id, row.is_shadow)
