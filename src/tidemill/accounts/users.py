"""Users: made, changed and deleted by administrators."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.lookup import get_user
from tidemill.accounts.schemas.users import UserCreate, UserPatch, UserView
from tidemill.accounts.sessions import end_all_sessions, end_everything
from tidemill.accounts.tables import NEVER, GroupMemberRow, MembershipRow, ProjectRow, UserRow
from tidemill.kernel.db import contains, take_turn
from tidemill.kernel.errors import Conflict
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

SORTS = {"name": UserRow.name_key, "created_at": UserRow.created_at, "last_seen_at": UserRow.last_seen_at}


def list_users(session: Session, page: PageQuery, *, kind: str | None = None) -> Page[UserView]:
    """Users who are not deleted."""
    statement = sa.select(UserRow).where(UserRow.deleted_at.is_(None))
    if kind:
        statement = statement.where(UserRow.kind == kind)
    return page_of_users(session, statement, page)


def page_of_users(session: Session, statement: sa.Select[UserRow], page: PageQuery) -> Page[UserView]:
    """One page of the users the statement selects, searched and sorted as the caller asks."""
    if page.q:
        statement = statement.where(contains(UserRow.search_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts=SORTS,
        id_column=UserRow.id,
        default_sort="name",
        view=lambda rows: view_users(session, rows),
    )


def create_user(session: Session, body: UserCreate, *, password_hash: str, by: Caller) -> UserView:
    """A new user."""
    if session.scalar(sa.select(UserRow.id).where(UserRow.name_key == name_key(body.name))):
        raise Conflict("name_taken", field="name", name=body.name)
    row = UserRow(
        id=new_id("usr"),
        name=body.name,
        name_key=name_key(body.name),
        display_name=body.display_name,
        mail=body.mail,
        kind=body.kind,
        password_hash=password_hash,
        must_change_password=body.must_change_password,
        is_disabled=False,
        last_seen_at=NEVER,
        created_at=by.now,
        created_by=by.user_name,
        search_key="",
    )
    note_search_key(row)
    session.add(row)
    session.flush()
    _record(session, "user.create", row, by, after=_shown(row))
    return view_user(session, row)


def update_user(session: Session, user: str, patch: UserPatch, *, by: Caller) -> UserView:
    """Changes a user. A changed mail signs them out everywhere; disabling voids their tokens too."""
    row = _get_locked(session, user)
    before = _shown(row)
    if (patch.kind not in {None, "administrator"} or patch.disabled) and _is_active_administrator(row):
        _keep_one_administrator(session, row)
    if patch.display_name is not None:
        row.display_name = patch.display_name
    if patch.kind is not None:
        row.kind = patch.kind
    if patch.mail is not None and patch.mail != row.mail:
        row.mail = patch.mail
        end_all_sessions(session, row.id)
    if patch.disabled is not None and patch.disabled != row.is_disabled:
        row.is_disabled = patch.disabled
        end_everything(session, row.id)
    note_search_key(row)
    after = _shown(row)
    if after != before:
        _record(session, "user.update", row, by, before=before, after=after)
    return view_user(session, row)


def delete_user(session: Session, user: str, *, by: Caller) -> None:
    """Deletes a user: signed out for good, out of all projects and groups. The name stays taken, for the audit log."""
    row = _get_locked(session, user)
    if row.id == by.user_id:
        raise Conflict("user_is_self")
    if _is_active_administrator(row):
        _keep_one_administrator(session, row)
    _record(session, "user.delete", row, by, before=_shown(row))
    end_everything(session, row.id)
    session.execute(sa.delete(MembershipRow).where(MembershipRow.user_id == row.id))
    session.execute(sa.delete(GroupMemberRow).where(GroupMemberRow.user_id == row.id))
    row.deleted_at = by.now
    row.password_hash = ""
    row.mail = ""


def reset_password(session: Session, user: str, *, password_hash: str, must_change_password: bool, by: Caller) -> None:
    """Gives a user a new password. Whoever knew the old one is out: sessions and tokens end."""
    row = _get_locked(session, user)
    row.password_hash = password_hash
    row.must_change_password = must_change_password
    end_everything(session, row.id)
    _record(session, "user.reset_password", row, by)


def end_sessions_of(session: Session, user: str, *, by: Caller) -> None:
    """Signs a user out everywhere."""
    row = get_user(session, user)
    ended = end_all_sessions(session, row.id)
    _record(session, "user.end_sessions", row, by, before={"sessions": ended})


def view_user(session: Session, row: UserRow) -> UserView:
    return view_users(session, [row])[0]


def view_users(session: Session, rows: Sequence[UserRow]) -> list[UserView]:
    """The users as they go out, with the number of projects of each."""
    counts = _count_projects(session, [row.id for row in rows])
    return [
        UserView(
            id=row.id,
            name=row.name,
            display_name=row.display_name,
            mail=row.mail,
            kind=row.kind,
            disabled=row.is_disabled,
            must_change_password=row.must_change_password,
            last_seen_at=None if row.last_seen_at == NEVER else row.last_seen_at,
            projects_count=counts.get(row.id, 0),
            created_at=row.created_at,
            created_by=row.created_by,
        )
        for row in rows
    ]


def note_search_key(row: UserRow) -> None:
    """Keeps what searches look in right after a change."""
    row.search_key = "\n".join(name_key(text) for text in (row.name, row.display_name, row.mail))


def _get_locked(session: Session, user: str) -> UserRow:
    """The user, whom nobody else changes or signs in meanwhile. One change of users at a time: two administrators
    cannot remove each other at once."""
    take_turn(session, "users")
    row = get_user(session, user)
    session.refresh(row, with_for_update=True)
    return row


def _is_active_administrator(row: UserRow) -> bool:
    return row.kind == "administrator" and not row.is_disabled


def _keep_one_administrator(session: Session, row: UserRow) -> None:
    other = session.scalar(
        sa.select(UserRow.id)
        .where(
            UserRow.kind == "administrator",
            UserRow.is_disabled.is_(False),
            UserRow.deleted_at.is_(None),
            UserRow.id != row.id,
        )
        .limit(1)
    )
    if other is None:
        raise Conflict("last_administrator", name=row.name)


def _count_projects(session: Session, user_ids: Sequence[str]) -> dict[str, int]:
    direct = sa.select(MembershipRow.user_id.label("user_id"), MembershipRow.project_id).where(
        MembershipRow.user_id.in_(user_ids)
    )
    through_groups = (
        sa.select(GroupMemberRow.user_id.label("user_id"), MembershipRow.project_id)
        .join(MembershipRow, MembershipRow.group_id == GroupMemberRow.group_id)
        .where(GroupMemberRow.user_id.in_(user_ids))
    )
    each = sa.union(direct, through_groups).subquery()
    live = (
        sa.select(each.c.user_id, sa.func.count())
        .join(ProjectRow, ProjectRow.id == each.c.project_id)
        .where(ProjectRow.deleted_at.is_(None))
        .group_by(each.c.user_id)
    )
    return dict(session.execute(live).all())


def _shown(row: UserRow) -> dict[str, Any]:
    return {
        "display_name": row.display_name,
        "mail": row.mail,
        "kind": row.kind,
        "disabled": row.is_disabled,
    }


def _record(session: Session, action: str, row: UserRow, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="user", target_id=row.id, target_name=row.name, **change)
