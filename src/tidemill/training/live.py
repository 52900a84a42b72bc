"""Runs as live news: they moved, or their curves grew."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language
from tidemill.training.tables import RunRow
from tidemill.training.views import run_view
from tidemill.workloads.tables import WorkloadRow

NEWS_MAX = 500
"""In one look: thousands of runs may be logged from outside at once, and nobody watches them all."""
_WORKLOAD_REVISIONS = 1 << 32
"""A run's own revision counts above all of one workload's: a resumed run begins with a new workload."""


def changed_runs(session: Session, since: datetime) -> Iterable[News]:
    """What people can see of runs and changed since then."""
    rows = session.execute(
        sa.select(RunRow, WorkloadRow.revision, WorkloadRow.changed_at)
        .outerjoin(WorkloadRow, WorkloadRow.id == RunRow.workload_id)
        .where(sa.or_(RunRow.changed_at >= since, WorkloadRow.changed_at >= since))
        .order_by(RunRow.changed_at.desc())
        .limit(NEWS_MAX)
    ).all()
    return [_news(session, run, revision or 0, changed_at or run.changed_at) for run, revision, changed_at in rows]


def _news(session: Session, run: RunRow, workload_revision: int, workload_changed_at: datetime) -> News:
    def data(language: Language) -> str:
        return run_view(session, run, language).model_dump_json()

    revision = run.revision * _WORKLOAD_REVISIONS + workload_revision
    changed_at = max(run.changed_at, workload_changed_at)
    return News("run", run.id, revision, changed_at, run.project_id, "training.read", data)
