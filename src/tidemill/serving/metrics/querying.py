"""Figures as curves: counts of the database put together by time, deployment and replica."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.errors import Invalid
from tidemill.serving.metrics.counts import Counts, add, together
from tidemill.serving.metrics.keeping import HOUR, KEPT_S, MINUTE, TEN
from tidemill.serving.schemas import PointView, ServiceMetricsView, ServiceSeriesView
from tidemill.serving.tables import DeploymentRow, MetricRow, ServiceRow, TrackRow

POINTS_MAX = 2000
_WANTED = 180
"""Points of a curve, where nobody says how wide a step is."""
_STEPS = (10, 30, 60, 300, 900, 3600, 6 * 3600, 86_400)


class Sample(NamedTuple):
    """What was counted within a step."""

    at: int
    number: int
    """Of the deployment."""
    replica_id: str
    is_shadow: bool
    counts: Counts


def metrics_view(
    session: Session,
    row: ServiceRow,
    *,
    since: datetime | None,
    until: datetime | None,
    step_s: int | None,
    with_replicas: bool,
    by: Caller,
) -> ServiceMetricsView:
    """Curves of the service, of each deployment that had requests, and, where wanted, of each replica."""
    end = min(until or by.now, by.now)
    begin = since or end - timedelta(hours=1)
    if begin >= end:
        raise Invalid("service_since_after", field="since")
    seconds = (end - begin).total_seconds()
    step = step_s or next((one for one in _STEPS if seconds / one <= _WANTED), _STEPS[-1])
    if seconds / step > POINTS_MAX:
        raise Invalid("service_too_many_points", field="step_s", max=POINTS_MAX)
    samples = load_samples(session, row.id, begin, end, now=by.now, with_shadow=True)
    return ServiceMetricsView(
        since=begin,
        until=end,
        step_s=step,
        series=_series(session, row, samples, begin, end, step, with_replicas=with_replicas),
    )


def load_samples(
    session: Session, service_id: str, since: datetime, until: datetime, *, now: datetime, with_shadow: bool = False
) -> list[Sample]:
    """Counts between the two times, from the narrowest steps that reach back so far, and narrower ones at the end.

    Of what callers asked; with what a canary was shown, only where that is wanted.
    """
    begin, end, now_s = int(since.timestamp()), int(until.timestamp()) + 1, int(now.timestamp())
    step = next((one for one in (TEN, MINUTE, HOUR) if begin >= now_s - KEPT_S[one] + one), HOUR)
    found: list[Sample] = []
    while True:
        rows = session.scalars(
            sa.select(MetricRow).where(
                MetricRow.service_id == service_id,
                MetricRow.step_s == step,
                MetricRow.at >= begin // step * step,
                MetricRow.at < end,
                *(() if with_shadow else (MetricRow.is_shadow.is_(False),)),
            )
        ).all()
        found += [
            Sample(row.at, row.number, row.replica_id, row.is_shadow, Counts.from_json(row.counts)) for row in rows
        ]
        if step == TEN:
            return found
        # What is not summed up yet is still there in narrower steps.
        done = session.scalar(sa.select(sa.func.max(MetricRow.at)).where(MetricRow.step_s == step))
        begin = max(begin, done + step) if done is not None else begin
        step = MINUTE if step == HOUR else TEN


def total(samples: Iterable[Sample], numbers: set[int] | None = None) -> Counts:
    """All together, or of these deployments."""
    return add(one.counts for one in samples if numbers is None or one.number in numbers)


def _series(
    session: Session,
    row: ServiceRow,
    samples: Sequence[Sample],
    begin: datetime,
    end: datetime,
    step: int,
    *,
    with_replicas: bool,
) -> list[ServiceSeriesView]:
    tracks = session.scalars(sa.select(TrackRow).where(TrackRow.service_id == row.id)).all()
    deployments = session.scalars(sa.select(DeploymentRow).where(DeploymentRow.service_id == row.id)).all()
    roles = {track.deployment_id: track.role for track in tracks}
    known = {one.number: one for one in deployments}
    current = {known_one.number for known_one in deployments if known_one.id in roles}
    asked = {(number, False) for number in ({one.number for one in samples if not one.is_shadow} | current) if number}
    shown = {(one.number, True) for one in samples if one.is_shadow}
    found = [_one([one for one in samples if not one.is_shadow], begin, end, step)]
    for number, is_shadow in sorted(asked | shown):
        mine = [one for one in samples if (one.number, one.is_shadow) == (number, is_shadow)]
        deployment = known.get(number)
        about = {
            "number": number,
            "role": roles.get(deployment.id) if deployment else None,
            "package": deployment.package if deployment else None,
            "is_shadow": is_shadow,
        }
        found.append(_one(mine, begin, end, step, **about))
        if with_replicas:
            replicas = sorted({one.replica_id for one in mine if one.replica_id.startswith("rpl_")})
            for replica in replicas:
                some = [one for one in mine if one.replica_id == replica]
                found.append(_one(some, begin, end, step, **about, replica=replica))
    return found


def _one(samples: Sequence[Sample], begin: datetime, end: datetime, step: int, **about: object) -> ServiceSeriesView:
    by_time: defaultdict[int, defaultdict[int, list[Counts]]] = defaultdict(lambda: defaultdict(list))
    for one in samples:
        by_time[one.at // step * step][one.at].append(one.counts)
    first, last = int(begin.timestamp()) // step * step, int(end.timestamp())
    points = [
        _point(at, add(together(some) for some in by_time[at].values()) if at in by_time else Counts(), step)
        for at in range(first, last + 1, step)
    ]
    seconds = max(1.0, (end - begin).total_seconds())
    whole = add(together(some) for times in by_time.values() for some in times.values())
    given = {"number": None, "role": None, "package": None, "replica": None, "is_shadow": False, **about}
    return ServiceSeriesView(**given, points=points, total=_point(first, whole, seconds))


def _point(at: int, counts: Counts, seconds: float) -> PointView:
    return PointView(
        at=datetime.fromtimestamp(at, UTC),
        requests=counts.requests,
        requests_per_s=counts.requests / seconds,
        errors=counts.errors,
        refused=counts.refused,
        error_rate=counts.error_rate,
        p50_ms=counts.quantile_ms(0.5),
        p90_ms=counts.quantile_ms(0.9),
        p99_ms=counts.quantile_ms(0.99),
        in_flight=counts.in_flight,
        batch_size=counts.batch_size,
    )
