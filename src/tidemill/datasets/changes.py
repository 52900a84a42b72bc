"""A change of a version's items: its turn taken, its number given, its rows written."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.lookup import Opened, check_draft
from tidemill.datasets.states import DRAFT
from tidemill.datasets.tables import VERSIONS, WorkRow
from tidemill.kernel.db import UtcDateTime
from tidemill.kernel.errors import Conflict
from tidemill.kernel.prepared import Prepared


def begin_change(session: Session, opened: Opened, now: datetime) -> int:
    """The version is ours until the transaction ends, and still a draft; the number of this change.

    Whoever changes items of a version at the same time waits here, always before touching any item or counter.
    """
    found = _TAKE_TURN.rows(session, vid=opened.vid, now=now)
    if not found:
        check_draft(opened)
        raise Conflict("dataset_publishing", name=opened.name)
    return int(found[0][0])


def content_stayed(session: Session, vid: int, revision: int) -> None:
    """The change of that number changed nothing that exports show: those that were true before it still are."""
    same = sa.and_(WorkRow.vid == vid, WorkRow.kind == "export", WorkRow.version_revision == revision - 1)
    session.execute(sa.update(WorkRow).where(same).values(version_revision=revision))


_TAKE_TURN = Prepared(
    sa.update(VERSIONS)
    .where(VERSIONS.c.vid == sa.bindparam("vid"), VERSIONS.c.state == DRAFT)
    .values(revision=VERSIONS.c.revision + 1, changed_at=sa.bindparam("now", type_=UtcDateTime()))
    .returning(VERSIONS.c.revision)
)
