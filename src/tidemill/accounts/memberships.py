"""Members of a project: users and groups, each with a role there."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.lookup import get_group, get_role, get_user
from tidemill.accounts.permissions import ANNOTATOR_CEILING
from tidemill.accounts.projects import get_project_row
from tidemill.accounts.roles import OWNER, is_of_platform
from tidemill.accounts.schemas.projects import (
    Candidates,
    CandidateView,
    MemberCreate,
    MemberRole,
    MembershipView,
)
from tidemill.accounts.tables import GroupMemberRow, GroupRow, MembershipRow, RoleRow, UserRow
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

Subject = UserRow | GroupRow


def list_members(session: Session, page: PageQuery, *, by: Caller) -> Page[MembershipView]:
    """The project's members, by name."""
    statement = sa.select(MembershipRow).where(MembershipRow.project_id == by.project.id)
    if page.q:
        key = name_key(page.q)
        users = sa.select(UserRow.id).where(contains(UserRow.search_key, key))
        statement = statement.where(sa.or_(contains(MembershipRow.subject_key, key), MembershipRow.user_id.in_(users)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": MembershipRow.subject_key, "created_at": MembershipRow.created_at},
        id_column=MembershipRow.id,
        default_sort="name",
        view=lambda rows: _views(session, rows),
    )


def list_candidates(session: Session, page: PageQuery, *, by: Caller) -> Candidates:
    """Groups and users who are not members yet, groups first."""
    members = sa.select(MembershipRow).where(MembershipRow.project_id == by.project.id).subquery()
    groups = sa.select(GroupRow).where(~sa.exists().where(members.c.group_id == GroupRow.id))
    users = sa.select(UserRow).where(
        UserRow.deleted_at.is_(None),
        UserRow.is_disabled.is_(False),
        ~sa.exists().where(members.c.user_id == UserRow.id),
    )
    if page.q:
        groups = groups.where(contains(GroupRow.name_key, name_key(page.q)))
        users = users.where(contains(UserRow.search_key, name_key(page.q)))
    found: list[Subject] = [
        *session.scalars(groups.order_by(GroupRow.name_key).limit(page.limit)),
        *session.scalars(users.order_by(UserRow.name_key).limit(page.limit)),
    ]
    return Candidates(items=[_candidate(subject) for subject in found[: page.limit]])


def add_member(session: Session, body: MemberCreate, *, by: Caller) -> MembershipView:
    """Gives a user or a group a role in the project."""
    if by.project.is_public:
        raise Conflict("project_public_members")
    get_project_row(session, by.project.id, lock=True)
    subject = _get_subject(session, body)
    role = _get_grantable_role(session, body.role, subject, by)
    user_id, group_id = (subject.id, None) if isinstance(subject, UserRow) else (None, subject.id)
    mine = MembershipRow.user_id == user_id if user_id else MembershipRow.group_id == group_id
    if session.scalar(sa.select(MembershipRow.id).where(MembershipRow.project_id == by.project.id, mine)):
        raise Conflict("member_already", field="user" if user_id else "group", name=subject.name)
    row = MembershipRow(
        id=new_id("mbr"),
        project_id=by.project.id,
        user_id=user_id,
        group_id=group_id,
        subject_key=subject.name_key,
        role_id=role.id,
        created_at=by.now,
        created_by=by.user_name,
    )
    session.add(row)
    session.flush()
    _record(session, "member.create", row, subject, by, after={"role": role.name})
    return _view(row, subject, role)


def update_member(session: Session, membership: str, role_name: str, *, by: Caller) -> MembershipView:
    """Gives a member another role."""
    row, subject, old = _get_changeable(session, membership, by)
    role = _get_grantable_role(session, role_name, subject, by)
    if role.id != old.id:
        _keep_one_owner(session, row, old, by)
        row.role_id = role.id
        _record(session, "member.update", row, subject, by, before={"role": old.name}, after={"role": role.name})
    return _view(row, subject, role)


def remove_member(session: Session, membership: str, *, by: Caller) -> None:
    """Takes a member out of the project."""
    row, subject, old = _get_changeable(session, membership, by)
    _keep_one_owner(session, row, old, by)
    session.delete(row)
    _record(session, "member.delete", row, subject, by, before={"role": old.name})


def _get_subject(session: Session, body: MemberCreate) -> Subject:
    if (body.user is None) == (body.group is None):
        raise Invalid("member_one_subject", field="user")
    return get_user(session, body.user) if body.user is not None else get_group(session, body.group or "")


def _get_grantable_role(session: Session, role_name: str, subject: Subject, by: Caller) -> RoleRow:
    """The role, if the caller has all it gives, and it fits whom it is given to."""
    role = get_role(session, role_name)
    if is_of_platform(role):
        raise Invalid("role_of_platform", field="role", name=role.name)
    missing = sorted(set(role.permissions) - by.permissions)
    if missing:
        raise Forbidden("role_beyond_caller", field="role", name=role.name, missing=", ".join(missing))
    if (
        isinstance(subject, UserRow)
        and subject.kind == "annotator"
        and not ANNOTATOR_CEILING.issuperset(role.permissions)
    ):
        raise Invalid("role_beyond_annotator", field="role", name=role.name, user=subject.name)
    return role


def _get_changeable(session: Session, membership: str, by: Caller) -> tuple[MembershipRow, Subject, RoleRow]:
    """The membership, unless it gives more than the caller has. The project is locked: owners leave one at a time."""
    get_project_row(session, by.project.id, lock=True)
    row = session.scalar(
        sa.select(MembershipRow).where(MembershipRow.id == membership, MembershipRow.project_id == by.project.id)
    )
    if row is None:
        raise NotFound("member_not_found")
    role = session.get_one(RoleRow, row.role_id)
    missing = sorted(set(role.permissions) - by.permissions)
    if missing:
        raise Forbidden("role_beyond_caller", field="role", name=role.name, missing=", ".join(missing))
    table: Any = UserRow if row.user_id else GroupRow
    return row, session.get_one(table, row.user_id or row.group_id), role


def _keep_one_owner(session: Session, row: MembershipRow, role: RoleRow, by: Caller) -> None:
    if by.is_administrator or role.name != OWNER or not role.is_builtin:
        return
    active = sa.and_(UserRow.is_disabled.is_(False), UserRow.deleted_at.is_(None))
    people = sa.select(UserRow.id).where(active, UserRow.id == MembershipRow.user_id)
    through_groups = (
        sa.select(UserRow.id)
        .join(GroupMemberRow, GroupMemberRow.user_id == UserRow.id)
        .where(active, GroupMemberRow.group_id == MembershipRow.group_id)
    )
    other = session.scalar(
        sa.select(MembershipRow.id)
        .where(
            MembershipRow.project_id == row.project_id,
            MembershipRow.role_id == role.id,
            MembershipRow.id != row.id,
            sa.or_(people.exists(), through_groups.exists()),
        )
        .limit(1)
    )
    if other is None:
        raise Conflict("last_owner")


def _views(session: Session, rows: Sequence[MembershipRow]) -> list[MembershipView]:
    users = sa.select(UserRow).where(UserRow.id.in_([row.user_id for row in rows if row.user_id]))
    groups = sa.select(GroupRow).where(GroupRow.id.in_([row.group_id for row in rows if row.group_id]))
    roles = sa.select(RoleRow).where(RoleRow.id.in_({row.role_id for row in rows}))
    subjects: dict[str, Subject] = {
        **{user.id: user for user in session.scalars(users)},
        **{group.id: group for group in session.scalars(groups)},
    }
    by_id = {role.id: role for role in session.scalars(roles)}
    return [_view(row, subjects[row.user_id or row.group_id or ""], by_id[row.role_id]) for row in rows]


def _view(row: MembershipRow, subject: Subject, role: RoleRow) -> MembershipView:
    return MembershipView(
        id=row.id,
        subject_kind="user" if row.user_id else "group",
        subject_id=subject.id,
        name=subject.name,
        display_name=subject.display_name if isinstance(subject, UserRow) else "",
        role=MemberRole(id=role.id, name=role.name, builtin=role.is_builtin),
        created_at=row.created_at,
        created_by=row.created_by,
    )


def _candidate(subject: Subject) -> CandidateView:
    is_user = isinstance(subject, UserRow)
    return CandidateView(
        subject_kind="user" if is_user else "group",
        id=subject.id,
        name=subject.name,
        display_name=subject.display_name if isinstance(subject, UserRow) else "",
        created_at=subject.created_at,
        created_by=subject.created_by,
    )


def _record(session: Session, action: str, row: MembershipRow, subject: Subject, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="member", target_id=row.id, target_name=subject.name, **change)
