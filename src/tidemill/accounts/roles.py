"""Roles: the built-in ones, and those administrators make."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.lookup import get_role
from tidemill.accounts.permissions import PLATFORM_PERMISSIONS, PROJECT_PERMISSIONS
from tidemill.accounts.schemas.roles import PermissionView, RoleCreate, RolePatch, RoleView
from tidemill.accounts.tables import GroupRow, MembershipRow, ProjectRow, RoleRow, UserRow
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

ADMINISTRATORS = "administrator"
OWNER = "owner"
USES_SHOWN = 20


def list_roles(session: Session, page: PageQuery) -> Page[RoleView]:
    """All roles."""
    statement = sa.select(RoleRow)
    if page.q:
        statement = statement.where(contains(RoleRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": RoleRow.name_key, "created_at": RoleRow.created_at},
        id_column=RoleRow.id,
        default_sort="name",
        view=lambda rows: _views(session, rows),
    )


def list_permissions() -> list[PermissionView]:
    """Every permission there is; `audit.read` is there twice, for the platform and for a project."""
    scoped = [(p, "platform") for p in PLATFORM_PERMISSIONS] + [(p, "project") for p in PROJECT_PERMISSIONS]
    return [
        PermissionView(
            permission=permission,
            resource=permission.partition(".")[0],
            action=permission.partition(".")[2],
            scope=scope,
        )
        for permission, scope in scoped
    ]


def create_role(session: Session, body: RoleCreate, *, by: Caller) -> RoleView:
    """A new role, of project permissions."""
    _refuse_taken_name(session, body.name)
    row = RoleRow(
        id=new_id("rol"),
        name=body.name,
        name_key=name_key(body.name),
        description=body.description,
        is_builtin=False,
        permissions=_check_permissions(body.permissions),
        created_at=by.now,
        created_by=by.user_name,
    )
    session.add(row)
    session.flush()
    _record(session, "role.create", row, by, after=_shown(row))
    return view_role(session, row)


def update_role(session: Session, role: str, patch: RolePatch, *, by: Caller) -> RoleView:
    """Changes a role that is not built in; whoever has it has the new permissions at once."""
    row = _get_own(session, role)
    before = _shown(row)
    if patch.name is not None and patch.name != row.name:
        _refuse_taken_name(session, patch.name, except_id=row.id)
        row.name, row.name_key = patch.name, name_key(patch.name)
    if patch.description is not None:
        row.description = patch.description
    if patch.permissions is not None:
        row.permissions = _check_permissions(patch.permissions)
    if _shown(row) != before:
        _record(session, "role.update", row, by, before=before, after=_shown(row))
    session.flush()
    return view_role(session, row)


def delete_role(session: Session, role: str, *, by: Caller) -> None:
    """Deletes a role nobody has."""
    row = _get_own(session, role)
    uses = _uses(session, row)
    if uses:
        raise Conflict("role_in_use", name=row.name, details=uses)
    session.delete(row)
    _record(session, "role.delete", row, by, before=_shown(row))


def view_role(session: Session, row: RoleRow) -> RoleView:
    return _views(session, [row])[0]


def is_of_platform(row: RoleRow) -> bool:
    """Whether it is the administrators' role, which no project can give."""
    return row.is_builtin and row.name == ADMINISTRATORS


def in_order(permissions: Iterable[str]) -> list[str]:
    """The permissions in the order they are declared in, each once."""
    held = set(permissions)
    return [
        permission for permission in dict.fromkeys(PLATFORM_PERMISSIONS + PROJECT_PERMISSIONS) if permission in held
    ]


def _get_own(session: Session, role: str) -> RoleRow:
    row = get_role(session, role)
    session.refresh(row, with_for_update=True)
    if row.is_builtin:
        raise Conflict("role_builtin", name=row.name)
    return row


def _check_permissions(permissions: Sequence[str]) -> list[str]:
    """The permissions in our order, with reading the project, without which no role is of use."""
    unknown = sorted(set(permissions) - set(PROJECT_PERMISSIONS))
    platform = [permission for permission in unknown if permission in PLATFORM_PERMISSIONS]
    if platform:
        raise Invalid("permission_of_platform", field="permissions", found=", ".join(platform))
    if unknown:
        raise Invalid("permission_unknown", field="permissions", found=", ".join(unknown[:10]))
    return in_order({*permissions, "project.read"})


def _refuse_taken_name(session: Session, name: str, *, except_id: str | None = None) -> None:
    found = session.scalar(sa.select(RoleRow.id).where(RoleRow.name_key == name_key(name)))
    if found not in {None, except_id}:
        raise Conflict("name_taken", field="name", name=name)


def _uses(session: Session, row: RoleRow) -> list[dict[str, str]]:
    """Where the role is in use: who has it, in which project (deleted ones too: they may come back)."""
    found = session.execute(
        sa.select(ProjectRow.name, UserRow.name, GroupRow.name)
        .select_from(MembershipRow)
        .join(ProjectRow, ProjectRow.id == MembershipRow.project_id)
        .outerjoin(UserRow, UserRow.id == MembershipRow.user_id)
        .outerjoin(GroupRow, GroupRow.id == MembershipRow.group_id)
        .where(MembershipRow.role_id == row.id)
        .order_by(ProjectRow.name_key, MembershipRow.subject_key)
        .limit(USES_SHOWN)
    )
    return [
        {"project": project, "kind": "user" if user else "group", "name": user or group}
        for project, user, group in found
    ]


def _views(session: Session, rows: Sequence[RoleRow]) -> list[RoleView]:
    counts = _count_members(session, rows)
    return [
        RoleView(
            id=row.id,
            name=row.name,
            description=row.description,
            builtin=row.is_builtin,
            scope="platform" if is_of_platform(row) else "project",
            permissions=row.permissions,
            members_count=counts.get(row.id, 0),
            created_at=row.created_at,
            created_by=row.created_by,
        )
        for row in rows
    ]


def _count_members(session: Session, rows: Sequence[RoleRow]) -> dict[str, int]:
    found = session.execute(
        sa.select(MembershipRow.role_id, sa.func.count())
        .where(MembershipRow.role_id.in_([row.id for row in rows]))
        .group_by(MembershipRow.role_id)
    )
    counts = dict(found.all())
    for row in rows:
        if is_of_platform(row):
            counts[row.id] = _count_administrators(session)
    return counts


def _count_administrators(session: Session) -> int:
    administrators = sa.select(sa.func.count()).where(UserRow.kind == "administrator", UserRow.deleted_at.is_(None))
    return session.scalar(administrators) or 0


def _shown(row: RoleRow) -> dict[str, Any]:
    return {"name": row.name, "description": row.description, "permissions": list(row.permissions)}


def _record(session: Session, action: str, row: RoleRow, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="role", target_id=row.id, target_name=row.name, **change)
