"""Finding the thing a path names, by name or by id."""

from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import GroupRow, RoleRow, UserRow
from tidemill.kernel.errors import NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id

Named = TypeVar("Named", UserRow, GroupRow, RoleRow)


def get_user(session: Session, name_or_id: str) -> UserRow:
    """The user who is not deleted; raises NotFound."""
    user = _find(session, UserRow, name_or_id, "usr", UserRow.deleted_at.is_(None))
    if user is None:
        raise NotFound("user_not_found", name=name_or_id[:100])
    return user


def get_group(session: Session, name_or_id: str) -> GroupRow:
    """The group; raises NotFound."""
    group = _find(session, GroupRow, name_or_id, "grp")
    if group is None:
        raise NotFound("group_not_found", name=name_or_id[:100])
    return group


def get_role(session: Session, name_or_id: str) -> RoleRow:
    """The role; raises NotFound."""
    role = _find(session, RoleRow, name_or_id, "rol")
    if role is None:
        raise NotFound("role_not_found", name=name_or_id[:100])
    return role


def _find(session: Session, table: type[Named], name_or_id: str, prefix: str, *conditions: Any) -> Named | None:
    by_id = looks_like_id(name_or_id, prefix)
    match = table.id == name_or_id if by_id else table.name_key == name_key(name_or_id)
    return session.scalar(sa.select(table).where(match, *conditions))
