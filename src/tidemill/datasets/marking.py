"""Changing the state or owner of many items: those named, or all that a filter finds."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets import counting
from tidemill.datasets.changes import begin_change, content_stayed
from tidemill.datasets.lookup import Opened
from tidemill.datasets.tables import ITEM_LABELS, ITEMS, LABELS
from tidemill.store.sql import table_of

_item, _label = ITEMS.c, ITEM_LABELS.c


def set_state(session: Session, opened: Opened, seqs: Sequence[int], state: int, *, by: Caller) -> int:
    """Gives these items the state; how many had another. Their annotations stay as they are."""
    changed = begin_change(session, opened, by.now)
    others = sa.and_(_item.vid == opened.vid, seq_among(session, _item.seq, seqs), _item.state != state)
    # Counted here: for groups, SQLite would walk the index of states.
    before = Counter(session.connection().execute(sa.select(_item.state).where(others)).scalars())
    delta = counting.Delta()
    total = before.total()
    delta.add(counting.STATE, state, total)
    for code, count in before.items():
        delta.add(counting.STATE, code, -count)
    if not total:
        content_stayed(session, opened.vid, changed)
        return 0
    session.connection().execute(sa.update(ITEMS).where(others).values(state=state, changed=changed, updated_at=by.now))
    numbers = sa.select(LABELS.c.number).where(LABELS.c.vid == opened.vid)
    follow = sa.and_(_label.vid == opened.vid, _label.label.in_(numbers), seq_among(session, _label.seq, seqs))
    session.connection().execute(sa.update(ITEM_LABELS).where(follow).values(state=state))
    delta.write(session, opened.vid)
    return total


def set_owner(session: Session, opened: Opened, seqs: Sequence[int], owner: int | None, *, by: Caller) -> int:
    """Gives these items to somebody, or to nobody; how many were another's."""
    changed = begin_change(session, opened, by.now)
    others = sa.and_(
        _item.vid == opened.vid, seq_among(session, _item.seq, seqs), sa.func.coalesce(_item.owner, 0) != (owner or 0)
    )
    done = session.connection().execute(
        sa.update(ITEMS).where(others).values(owner=owner, changed=changed, updated_at=by.now)
    )
    content_stayed(session, opened.vid, changed)
    return int(done.rowcount)


def seq_among(session: Session, column: Any, seqs: Sequence[int]) -> sa.ColumnElement[bool]:
    """The item is one of these."""
    given = table_of(session, [[seq] for seq in seqs], seq=sa.BigInteger())
    found: sa.ColumnElement[bool] = column.in_(sa.select(given.c.seq))
    return found
