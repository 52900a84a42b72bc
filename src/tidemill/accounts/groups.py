"""Groups: users who get roles together."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.lookup import get_group, get_user
from tidemill.accounts.schemas.groups import GroupCreate, GroupPatch, GroupView
from tidemill.accounts.schemas.users import UserView
from tidemill.accounts.tables import GroupMemberRow, GroupRow, MembershipRow, ProjectRow, UserRow
from tidemill.accounts.users import page_of_users
from tidemill.kernel.db import contains, upsert
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page


def list_groups(session: Session, page: PageQuery) -> Page[GroupView]:
    """All groups."""
    statement = sa.select(GroupRow)
    if page.q:
        statement = statement.where(contains(GroupRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": GroupRow.name_key, "created_at": GroupRow.created_at},
        id_column=GroupRow.id,
        default_sort="name",
        view=lambda rows: _views(session, rows),
    )


def create_group(session: Session, body: GroupCreate, *, by: Caller) -> GroupView:
    """A new group, without members yet."""
    _refuse_taken_name(session, body.name)
    row = GroupRow(
        id=new_id("grp"),
        name=body.name,
        name_key=name_key(body.name),
        description=body.description,
        created_at=by.now,
        created_by=by.user_name,
    )
    session.add(row)
    session.flush()
    _record(session, "group.create", row, by, after=_shown(row))
    return view_group(session, row)


def update_group(session: Session, group: str, patch: GroupPatch, *, by: Caller) -> GroupView:
    """Changes name or description."""
    row = get_group(session, group)
    before = _shown(row)
    if patch.name is not None and patch.name != row.name:
        _refuse_taken_name(session, patch.name, except_id=row.id)
        row.name, row.name_key = patch.name, name_key(patch.name)
        renamed = sa.update(MembershipRow).where(MembershipRow.group_id == row.id)
        session.execute(renamed.values(subject_key=row.name_key))
    if patch.description is not None:
        row.description = patch.description
    if _shown(row) != before:
        _record(session, "group.update", row, by, before=before, after=_shown(row))
    session.flush()
    return view_group(session, row)


def delete_group(session: Session, group: str, *, by: Caller) -> None:
    """Deletes a group, and with it the roles its members had through it."""
    row = get_group(session, group)
    projects = session.scalars(
        sa.select(ProjectRow.name)
        .join(MembershipRow, MembershipRow.project_id == ProjectRow.id)
        .where(MembershipRow.group_id == row.id)
        .order_by(ProjectRow.name_key)
        .limit(200)
    ).all()
    _record(session, "group.delete", row, by, before={**_shown(row), "projects": list(projects)})
    session.delete(row)


def list_group_members(session: Session, group: str, page: PageQuery) -> Page[UserView]:
    """The users in a group."""
    row = get_group(session, group)
    members = sa.select(UserRow).join(GroupMemberRow, GroupMemberRow.user_id == UserRow.id)
    return page_of_users(session, members.where(GroupMemberRow.group_id == row.id), page)


def add_to_group(session: Session, group: str, user: str, *, by: Caller) -> None:
    """Puts a user in a group; again changes nothing."""
    row, member = get_group(session, group), get_user(session, user)
    if _is_member(session, row, member):
        return
    values = {"group_id": row.id, "user_id": member.id, "created_at": by.now, "created_by": by.user_name}
    session.execute(upsert(session, GroupMemberRow).values(values).on_conflict_do_nothing())
    _record(session, "group.add_member", row, by, after={"user": member.name})


def remove_from_group(session: Session, group: str, user: str, *, by: Caller) -> None:
    """Takes a user out of a group."""
    row, member = get_group(session, group), get_user(session, user)
    if not _is_member(session, row, member):
        raise NotFound("group_member_not_found", name=member.name)
    session.execute(
        sa.delete(GroupMemberRow).where(GroupMemberRow.group_id == row.id, GroupMemberRow.user_id == member.id)
    )
    _record(session, "group.remove_member", row, by, before={"user": member.name})


def view_group(session: Session, row: GroupRow) -> GroupView:
    return _views(session, [row])[0]


def _is_member(session: Session, row: GroupRow, user: UserRow) -> bool:
    return session.get(GroupMemberRow, (row.id, user.id)) is not None


def _refuse_taken_name(session: Session, name: str, *, except_id: str | None = None) -> None:
    found = session.scalar(sa.select(GroupRow.id).where(GroupRow.name_key == name_key(name)))
    if found not in {None, except_id}:
        raise Conflict("name_taken", field="name", name=name)


def _views(session: Session, rows: Sequence[GroupRow]) -> list[GroupView]:
    ids = [row.id for row in rows]
    members = _count(session, GroupMemberRow.group_id, ids)
    projects = _count(session, MembershipRow.group_id, ids)
    return [
        GroupView(
            id=row.id,
            name=row.name,
            description=row.description,
            members_count=members.get(row.id, 0),
            projects_count=projects.get(row.id, 0),
            created_at=row.created_at,
            created_by=row.created_by,
        )
        for row in rows
    ]


def _count(session: Session, column: Any, group_ids: Sequence[str]) -> dict[str, int]:
    found = session.execute(sa.select(column, sa.func.count()).where(column.in_(group_ids)).group_by(column))
    return dict(found.all())


def _shown(row: GroupRow) -> dict[str, Any]:
    return {"name": row.name, "description": row.description}


def _record(session: Session, action: str, row: GroupRow, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="group", target_id=row.id, target_name=row.name, **change)
