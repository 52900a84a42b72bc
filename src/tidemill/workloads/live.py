"""Workloads as live news."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.views import workload_view


def changed_workloads(session: Session, since: datetime) -> Iterable[News]:
    """What people can see of workloads and changed since then."""
    rows = session.scalars(
        sa.select(WorkloadRow).where(WorkloadRow.changed_at >= since, WorkloadRow.deleted_at.is_(None))
    ).all()
    return [_news(session, row) for row in rows]


def _news(session: Session, row: WorkloadRow) -> News:
    def data(language: Language) -> str:
        return workload_view(session, row, language).model_dump_json()

    return News("workload", row.id, row.revision, row.changed_at, row.project_id, "workload.read", data)
