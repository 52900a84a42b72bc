"""Ended jobs and old notifications are kept for a season, then dropped."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from tidemill.jobs.tables import JobRow, NotificationRow
from tidemill.kernel.db import Database

KEPT_FOR = timedelta(days=90)
BATCH = 1000


def forget_old(db: Database, now: datetime) -> None:
    """Drops what is past its time, a batch a transaction."""
    _drop(db, JobRow, JobRow.finished_at, now)
    _drop(db, NotificationRow, NotificationRow.created_at, now)


def _drop(db: Database, table: Any, column: Any, now: datetime) -> None:
    while True:
        with db.write() as session:
            old = session.scalars(sa.select(table.id).where(column < now - KEPT_FOR).limit(BATCH)).all()
            if old:
                session.execute(sa.delete(table).where(table.id.in_(old)))
        if len(old) < BATCH:
            return
