"""Users as numbers: in rows that there are millions of, a user is a few bytes."""

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets.tables import PersonRow
from tidemill.kernel.db import upsert
from tidemill.kernel.ids import looks_like_id

_known: "WeakKeyDictionary[sa.engine.interfaces.Dialect, dict[str, int]]" = WeakKeyDictionary()
"""By database (each has a dialect of its own). A user's number never changes, so what is known stays true."""


def number_of(session: Session, by: Caller) -> int | None:
    """The caller's number, given now where they have none; None for the platform itself."""
    if by.user_id is None:
        return None
    known = _known.setdefault(session.get_bind().dialect, {})
    if by.user_id in known:
        return known[by.user_id]
    find = sa.select(PersonRow.number).where(PersonRow.user_id == by.user_id)
    number = session.scalar(find)
    if number is not None:
        known[by.user_id] = number
        return number
    session.execute(upsert(session, PersonRow).values(user_id=by.user_id, name=by.user_name).on_conflict_do_nothing())
    # Not remembered yet: this transaction may still come to nothing.
    return session.scalars(find).one()


def find_number(session: Session, name_or_id: str) -> int | None:
    """The number of a user who has annotated or owned something; None for all others."""
    column = PersonRow.user_id if looks_like_id(name_or_id, "usr") else PersonRow.name
    return session.scalar(sa.select(PersonRow.number).where(column == name_or_id).limit(1))


def names_of(session: Session, numbers: Iterable[int | None]) -> dict[int, str]:
    """Their names."""
    wanted = {number for number in numbers if number is not None}
    if not wanted:
        return {}
    rows = session.execute(sa.select(PersonRow.number, PersonRow.name).where(PersonRow.number.in_(wanted)))
    return {row.number: row.name for row in rows}
