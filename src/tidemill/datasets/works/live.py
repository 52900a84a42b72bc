"""Works as live news: they moved, or came further."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.lookup import Opened
from tidemill.datasets.tables import WorkRow
from tidemill.datasets.works.schemas import WorkView
from tidemill.datasets.works.service import fields, views_of
from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language


def changed_works(session: Session, since: datetime) -> Iterable[News]:
    """What people can see of works and changed since then."""
    rows = session.scalars(sa.select(WorkRow).where(WorkRow.changed_at >= since)).all()
    return [_news(row, opened) for row, opened in views_of(session, rows)]


def _news(row: WorkRow, opened: Opened) -> News:
    def data(language: Language) -> str:
        return WorkView(**fields(row, opened, language)).model_dump_json()

    return News("dataset_work", row.id, row.revision, row.changed_at, row.project_id, "dataset.read", data)
