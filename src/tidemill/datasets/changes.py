"""A change of a version's items: its turn taken, its number given, its rows written."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.lookup import Opened, check_draft
from tidemill.datasets.states import DRAFT
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.kernel.errors import Conflict


def begin_change(session: Session, opened: Opened, now: datetime) -> int:
    """The version is ours until the transaction ends, and still a draft; the number of this change.

    Whoever changes items of a version at the same time waits here, always before touching any item or counter.
    """
    revision = session.execute(
        sa.update(DatasetVersionRow)
        .where(DatasetVersionRow.vid == opened.vid, DatasetVersionRow.state == DRAFT)
        .values(revision=DatasetVersionRow.revision + 1, changed_at=now)
        .returning(DatasetVersionRow.revision)
        .execution_options(synchronize_session=False)
    ).scalar_one_or_none()
    if revision is None:
        check_draft(opened)
        raise Conflict("dataset_publishing", name=opened.name)
    return int(revision)
