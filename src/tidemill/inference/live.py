"""Runs of batch inference as live news."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.inference.tables import InferenceRunRow
from tidemill.inference.views import run_view
from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language


def changed_runs(session: Session, since: datetime) -> Iterable[News]:
    """What people can see of runs and changed since then."""
    rows = session.scalars(sa.select(InferenceRunRow).where(InferenceRunRow.changed_at >= since)).all()
    return [_news(session, row) for row in rows]


def _news(session: Session, row: InferenceRunRow) -> News:
    def data(language: Language) -> str:
        return run_view(session, row, language).model_dump_json()

    return News("inference_run", row.id, row.revision, row.changed_at, row.project_id, "inference.read", data)
