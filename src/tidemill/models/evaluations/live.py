"""Evaluations as live news."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language
from tidemill.models.evaluations.views import views_in
from tidemill.models.tables import EvaluationRow


def changed_evaluations(session: Session, since: datetime) -> Iterable[News]:
    """What people can see of evaluations and changed since then."""
    rows = session.scalars(sa.select(EvaluationRow).where(EvaluationRow.changed_at >= since)).all()
    return [_news(session, row) for row in rows]


def _news(session: Session, row: EvaluationRow) -> News:
    def data(language: Language) -> str:
        return views_in(session, [row], language)[0].model_dump_json()

    return News("evaluation", row.id, row.revision, row.changed_at, row.project_id, "training.read", data)
