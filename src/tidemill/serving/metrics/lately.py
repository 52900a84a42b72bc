"""What services were asked in the last minute, for lists of them."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.serving.metrics.counts import Counts, add
from tidemill.serving.metrics.keeping import TEN
from tidemill.serving.schemas import TrafficView
from tidemill.serving.tables import MetricRow

LATELY_S = 60


def traffic_of(session: Session, service_ids: Collection[str], now: datetime) -> dict[str, TrafficView]:
    """The last minute of each service, in whole steps of ten seconds; one look for all of them."""
    end = int(now.timestamp()) // TEN * TEN
    rows = session.execute(
        sa.select(MetricRow.service_id, MetricRow.counts).where(
            MetricRow.service_id.in_(service_ids),
            MetricRow.step_s == TEN,
            MetricRow.at >= end - LATELY_S,
            MetricRow.at < end,
            MetricRow.is_shadow.is_(False),
        )
    )
    found: defaultdict[str, list[Counts]] = defaultdict(list)
    for service_id, counts in rows:
        found[service_id].append(Counts.from_json(counts))
    return {service_id: _traffic(add(found[service_id])) for service_id in service_ids}


def _traffic(counts: Counts) -> TrafficView:
    return TrafficView(
        requests_per_s=counts.requests / LATELY_S,
        errors=counts.errors,
        refused=counts.refused,
        error_rate=counts.error_rate,
    )
