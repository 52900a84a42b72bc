"""Taking items out of a draft. Their revisions stay: older versions may have the same items."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets import contents, counting, trees
from tidemill.datasets.annotations import summarise, unpack
from tidemill.datasets.bulk import forget_labels
from tidemill.datasets.changes import begin_change
from tidemill.datasets.lookup import Opened
from tidemill.datasets.marking import seq_among
from tidemill.datasets.tables import ITEMS, REVISIONS, VERSIONS

_item = ITEMS.c


def remove_items(session: Session, opened: Opened, seqs: Sequence[int], *, by: Caller) -> int:
    """Takes these items out; how many were there. The draft's tree must be its own (`trees.part_tree`)."""
    begin_change(session, opened, by.now)
    rows = _load(session, opened.vid, seqs)
    if not rows:
        return 0
    delta = counting.Delta()
    used: set[int] = set()
    for row in rows:
        summary = summarise(unpack(row.body))
        used.update(summary.labels)
        delta.item(-1, state=row.state, annotator=row.annotator, size_bytes=row.size_bytes, summary=summary)
    gone = [row.seq for row in rows]
    delta.add(counting.TOTAL, counting.DUPLICATES, -contents.count_freed(session, opened.vid, [r.digest for r in rows]))
    contents.forget(session, opened.vid, [(row.seq, row.digest) for row in rows])
    forget_labels(session, opened.vid, used, gone)
    these = sa.and_(_item.vid == opened.vid, seq_among(session, _item.seq, gone))
    session.connection().execute(sa.delete(ITEMS).where(these))
    session.connection().execute(
        sa.update(VERSIONS).where(VERSIONS.c.vid == opened.vid).values(removals=VERSIONS.c.removals + len(gone))
    )
    delta.write(session, opened.vid)
    trees.remove_files(session, opened, [row.path for row in rows], by.now)
    return len(gone)


def _load(session: Session, vid: int, seqs: Sequence[int]) -> list[Any]:
    columns = (_item.seq, _item.path, _item.digest, _item.size_bytes, _item.state, _item.annotator, REVISIONS.c.body)
    joined = ITEMS.outerjoin(REVISIONS, REVISIONS.c.id == _item.revision)
    statement = sa.select(*columns).select_from(joined).where(_item.vid == vid, seq_among(session, _item.seq, seqs))
    return list(session.connection().execute(statement))
