"""What a workload that is starting is waiting for, shown while it does."""

from datetime import datetime

import sqlalchemy as sa

from tidemill.jobs.texts import said
from tidemill.kernel.db import Database, announce
from tidemill.workloads.lifecycle import TOPIC
from tidemill.workloads.tables import WorkloadRow

WORDS_MAX = 500


def note_progress(db: Database, workload_id: str, attempt_id: str | None, words: str, now: datetime) -> None:
    """Writes down how far the preparation is. The caller says something new a few times a second at most."""
    with db.write() as session:
        session.execute(
            sa.update(WorkloadRow)
            .where(WorkloadRow.id == workload_id, WorkloadRow.attempt_id == attempt_id, WorkloadRow.state == "starting")
            .values(message=said(words[:WORDS_MAX]), changed_at=now, revision=WorkloadRow.revision + 1)
        )
        announce(session, TOPIC)
