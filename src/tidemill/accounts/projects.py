"""Projects: the tenants."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, permissions_by_project, system_caller
from tidemill.accounts.permissions import PROJECT_PERMISSIONS
from tidemill.accounts.schemas.projects import ProjectCreate, ProjectPatch, ProjectView, Quota
from tidemill.accounts.tables import GroupMemberRow, MembershipRow, ProjectRow, RoleRow, UserRow
from tidemill.kernel.db import Base, contains
from tidemill.kernel.errors import Conflict, Forbidden, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

PUBLIC = "public"
SORTS = {
    "name": ProjectRow.name_key,
    "created_at": ProjectRow.created_at,
    "updated_at": ProjectRow.updated_at,
    "storage_used_bytes": ProjectRow.storage_used_bytes,
}
_MANAGED = ("name", "storage_limit_bytes", "quota")
"""What only those who manage projects may change."""


def list_projects(session: Session, page: PageQuery, *, everyones: bool, by: Caller) -> Page[ProjectView]:
    """Live projects: the caller's own, or all of them for those who manage projects."""
    if everyones and not by.may("project.manage"):
        raise Forbidden("forbidden_permission", permission="project.manage")
    statement = sa.select(ProjectRow).where(ProjectRow.deleted_at.is_(None))
    return _page(session, statement if everyones else _only_mine(statement, by), page, SORTS, "name", by)


def list_deleted_projects(session: Session, page: PageQuery, *, bin_days: float, by: Caller) -> Page[ProjectView]:
    """Projects in the bin, for those who manage projects."""
    if not by.may("project.manage"):
        raise Forbidden("forbidden_permission", permission="project.manage")
    statement = sa.select(ProjectRow).where(ProjectRow.deleted_at > by.now - timedelta(days=bin_days))
    return _page(session, statement, page, {**SORTS, "deleted_at": ProjectRow.deleted_at}, "-deleted_at", by)


def my_projects(session: Session, by: Caller, *, limit: int) -> Sequence[ProjectRow]:
    """The live projects the caller works in, by name, and the public one. Administrators work in all."""
    statement = sa.select(ProjectRow).where(ProjectRow.deleted_at.is_(None))
    if not by.is_administrator or by.token_project_id:
        statement = _only_mine(statement, by)
    found = list(session.scalars(statement.order_by(ProjectRow.name_key).limit(limit)))
    if len(found) == limit and not any(row.is_public for row in found):
        found[-1] = session.scalars(sa.select(ProjectRow).where(ProjectRow.is_public)).one()
    return found


def is_joined_by(user_id: str | None) -> sa.ColumnElement[bool]:
    """The project is the user's, by themselves or through a group, or everyone's."""
    return ProjectRow.id.in_(_joined_by(user_id))


def get_project(session: Session, *, by: Caller) -> ProjectView:
    """The project of this call."""
    return view_project(session, get_project_row(session, by.project.id), by)


def create_project(session: Session, body: ProjectCreate, *, by: Caller) -> ProjectView:
    """A new project; whoever makes it owns it."""
    _refuse_taken_name(session, body.name)
    row = ProjectRow(
        id=new_id("prj"),
        name=body.name,
        name_key=name_key(body.name),
        description=body.description,
        is_public=False,
        storage_limit_bytes=body.storage_limit_bytes,
        storage_used_bytes=0,
        quota=body.quota.model_dump(),
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    _make_owner(session, row, by)
    _record(session, "project.create", row, by, after=_shown(row))
    return view_project(session, row, by)


def update_project(session: Session, patch: ProjectPatch, *, by: Caller) -> ProjectView:
    """Owners change the description; name, storage limit and quotas are for those who manage projects."""
    row = get_project_row(session, by.project.id, lock=True)
    before = _shown(row)
    given = {
        name for name in patch.model_fields_set if name == "storage_limit_bytes" or getattr(patch, name) is not None
    }
    managed = sorted(given.intersection(_MANAGED))
    if managed and not by.may("project.manage"):
        raise Forbidden("project_managed_fields", field=managed[0], name=managed[0])
    if patch.name is not None and patch.name != row.name:
        _rename(session, row, patch.name)
    if patch.description is not None:
        row.description = patch.description
    if "storage_limit_bytes" in given:
        row.storage_limit_bytes = patch.storage_limit_bytes
    if patch.quota is not None:
        row.quota = patch.quota.model_dump()
    if _shown(row) != before:
        row.updated_at = by.now
        _record(session, "project.update", row, by, before=before, after=_shown(row))
    session.flush()
    return view_project(session, row, by)


def delete_project(session: Session, *, by: Caller) -> None:
    """Puts the project in the bin: it vanishes for its members, and administrators can bring it back for a while."""
    row = get_project_row(session, by.project.id, lock=True)
    if row.is_public:
        raise Conflict("project_public")
    row.deleted_at = by.now
    row.deleted_by = by.user_name
    _record(session, "project.delete", row, by, before=_shown(row))


def restore_project(session: Session, *, name: str | None, bin_days: float, by: Caller) -> ProjectView:
    """Brings a project back from the bin, perhaps under another name."""
    row = session.scalar(sa.select(ProjectRow).where(ProjectRow.id == by.project.id).with_for_update())
    if row is None or row.deleted_at is None or row.deleted_at <= by.now - timedelta(days=bin_days):
        raise NotFound("project_not_found", name=by.project.name)
    wanted = name or row.name
    if _find_live_id(session, wanted):
        raise Conflict("project_restore_name_taken", field="name", name=wanted)
    row.name, row.name_key = wanted, name_key(wanted)
    row.deleted_at = row.deleted_by = None
    row.updated_at = by.now
    _record(session, "project.restore", row, by, after=_shown(row))
    session.flush()
    return view_project(session, row, by)


def list_expired_projects(session: Session, *, now: datetime, bin_days: float, limit: int = 20) -> Sequence[ProjectRow]:
    """Projects whose time in the bin is over: what is in them may go."""
    return session.scalars(
        sa.select(ProjectRow)
        .where(ProjectRow.deleted_at <= now - timedelta(days=bin_days))
        .order_by(ProjectRow.deleted_at)
        .limit(limit)
    ).all()


def remove_project(session: Session, project_id: str, *, by: Caller | None = None) -> None:
    """Removes a deleted project for good, with its memberships and tokens. What it held in other rooms must be gone."""
    row = session.scalar(sa.select(ProjectRow).where(ProjectRow.id == project_id).with_for_update())
    if row is None:
        return
    if row.deleted_at is None:
        raise Conflict("project_live", name=row.name)
    _record(session, "project.purge", row, by or system_caller(), before=_shown(row))
    session.delete(row)


def get_project_row(session: Session, project_id: str, *, lock: bool = False) -> ProjectRow:
    """The live project's row; raises when it was deleted a moment ago."""
    statement = sa.select(ProjectRow).where(ProjectRow.id == project_id, ProjectRow.deleted_at.is_(None))
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None:
        raise NotFound("project_not_found", name=project_id)
    return row


def view_project(session: Session, row: ProjectRow, by: Caller) -> ProjectView:
    return _views(session, [row], by)[0]


def _page(
    session: Session,
    statement: sa.Select[ProjectRow],
    page: PageQuery,
    sorts: dict[str, Any],
    sort: str,
    by: Caller,
) -> Page[ProjectView]:
    if page.q:
        statement = statement.where(contains(ProjectRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts=sorts,
        id_column=ProjectRow.id,
        default_sort=sort,
        view=lambda rows: _views(session, rows, by),
    )


def _only_mine(statement: sa.Select[ProjectRow], by: Caller) -> sa.Select[ProjectRow]:
    if by.token_project_id:
        return statement.where(ProjectRow.id == by.token_project_id)
    mine = _joined_by(by.user_id).subquery()
    return statement.join(mine, mine.c.id == ProjectRow.id)


def _joined_by(user_id: str | None) -> sa.CompoundSelect[str]:
    """Ids of projects. Joined to, rather than tested against, where few of many are wanted in an order."""
    groups = sa.select(GroupMemberRow.group_id).where(GroupMemberRow.user_id == user_id)
    return sa.union(
        sa.select(ProjectRow.id.label("id")).where(ProjectRow.is_public),
        sa.select(MembershipRow.project_id).where(MembershipRow.user_id == user_id),
        sa.select(MembershipRow.project_id).where(MembershipRow.group_id.in_(groups)),
    )


def _views(session: Session, rows: Sequence[ProjectRow], by: Caller) -> list[ProjectView]:
    ids = [row.id for row in rows]
    permissions = permissions_by_project(session, by, rows)
    members, assets = _count_members(session, ids), _count_assets(session, ids)
    return [
        ProjectView(
            id=row.id,
            name=row.name,
            description=row.description,
            is_public=row.is_public,
            storage_limit_bytes=row.storage_limit_bytes,
            storage_used_bytes=row.storage_used_bytes,
            quota=Quota.model_validate(row.quota),
            members_count=members.get(row.id, 0),
            assets_count=assets.get(row.id, 0),
            permissions=[permission for permission in PROJECT_PERMISSIONS if permission in permissions[row.id]],
            created_at=row.created_at,
            created_by=row.created_by,
            updated_at=row.updated_at,
            deleted_at=row.deleted_at,
        )
        for row in rows
    ]


def _count_members(session: Session, project_ids: Sequence[str]) -> dict[str, int]:
    found = session.execute(
        sa.select(MembershipRow.project_id, sa.func.count())
        .where(MembershipRow.project_id.in_(project_ids))
        .group_by(MembershipRow.project_id)
    )
    return dict(found.all())


def _count_assets(session: Session, project_ids: Sequence[str]) -> dict[str, int]:
    """From the counters the room of assets keeps; that room is above this one, so its table is found by name."""
    counters = Base.metadata.tables.get("asset_counts")
    if counters is None:
        return {}
    found = session.execute(
        sa.select(counters.c.project_id, sa.func.sum(counters.c.live))
        .where(counters.c.project_id.in_(project_ids))
        .group_by(counters.c.project_id)
    )
    return {project_id: int(number) for project_id, number in found}


def _make_owner(session: Session, row: ProjectRow, by: Caller) -> None:
    user = session.get_one(UserRow, by.user_id)
    owner = session.scalars(sa.select(RoleRow).where(RoleRow.name_key == "owner")).one()
    session.add(
        MembershipRow(
            id=new_id("mbr"),
            project_id=row.id,
            user_id=user.id,
            subject_key=user.name_key,
            role_id=owner.id,
            created_at=by.now,
            created_by=by.user_name,
        )
    )
    session.flush()


def _rename(session: Session, row: ProjectRow, name: str) -> None:
    if row.is_public:
        raise Conflict("project_public", field="name")
    _refuse_taken_name(session, name, except_id=row.id)
    row.name, row.name_key = name, name_key(name)


def _refuse_taken_name(session: Session, name: str, *, except_id: str | None = None) -> None:
    if _find_live_id(session, name) not in {None, except_id}:
        raise Conflict("name_taken", field="name", name=name)


def _find_live_id(session: Session, name: str) -> str | None:
    return session.scalar(
        sa.select(ProjectRow.id).where(ProjectRow.name_key == name_key(name), ProjectRow.deleted_at.is_(None))
    )


def _shown(row: ProjectRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "description": row.description,
        "storage_limit_bytes": row.storage_limit_bytes,
        "quota": row.quota,
    }


def _record(session: Session, action: str, row: ProjectRow, by: Caller, **change: Any) -> None:
    audit.record(
        session,
        action,
        by=by,
        project_id=row.id,
        target_kind="project",
        target_id=row.id,
        target_name=row.name,
        **change,
    )
