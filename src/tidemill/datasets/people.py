"""Users as numbers: in rows that there are millions of, a user is a few bytes."""

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, roles_by_project
from tidemill.accounts.tables import UserRow
from tidemill.datasets.tables import PersonRow
from tidemill.kernel.db import upsert
from tidemill.kernel.errors import Invalid
from tidemill.kernel.fields import name_key
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
    # Not remembered yet: this transaction may still come to nothing.
    return _give_number(session, by.user_id, by.user_name)


def member_number(session: Session, name_or_id: str, *, by: Caller) -> int:
    """The number of a user who may annotate in the call's project; raises Invalid when there is none."""
    is_id = looks_like_id(name_or_id, "usr")
    here = UserRow.id == name_or_id if is_id else UserRow.name_key == name_key(name_or_id)
    user = session.scalar(sa.select(UserRow).where(here, UserRow.deleted_at.is_(None)))
    roles = [] if user is None else roles_by_project(session, user.id, [by.project.id])
    may = any("dataset.annotate" in role.permissions for _, role in roles)
    if user is None or not (may or user.kind == "administrator"):
        raise Invalid("owner_unknown", field="owner", name=name_or_id[:100])
    return _give_number(session, user.id, user.name)


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


def _give_number(session: Session, user_id: str, name: str) -> int:
    session.execute(upsert(session, PersonRow).values(user_id=user_id, name=name).on_conflict_do_nothing())
    return session.scalars(sa.select(PersonRow.number).where(PersonRow.user_id == user_id)).one()
