"""Search over names: projects, assets, users; only what the caller may read."""

from collections import defaultdict
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.assets.kinds import KINDS
from tidemill.assets.links import asset_link
from tidemill.assets.schemas import FoundView
from tidemill.assets.tables import AssetRow
from tidemill.jobs.visibility import visible_projects
from tidemill.kernel.db import contains
from tidemill.kernel.fields import name_key

_USERS_SHOWN = 5


def search(session: Session, text: str, *, limit: int, by: Caller) -> list[FoundView]:
    """Things whose names contain the text: the same name first, then names that begin with it, then the rest."""
    key = name_key(text.strip())
    if not key:
        return []
    found = [
        *_find_projects(session, key, limit, by),
        *_find_assets(session, key, limit, by),
        *_find_users(session, key, min(limit, _USERS_SHOWN), by),
    ]
    return sorted(found, key=lambda item: _rank(name_key(item.name), key))[:limit]


def _find_projects(session: Session, key: str, limit: int, by: Caller) -> list[FoundView]:
    rows = session.scalars(
        sa.select(ProjectRow)
        .where(ProjectRow.id.in_(visible_projects(by)), contains(ProjectRow.name_key, key))
        .order_by(_likeness(ProjectRow.name_key, key), ProjectRow.name_key)
        .limit(limit)
    ).all()
    readable = permissions_by_project(session, by, rows)
    return [
        FoundView(
            kind="project",
            id=row.id,
            name=row.name,
            project=None,
            description=row.description,
            link=f"/p/{quote(row.name, safe='')}",
        )
        for row in rows
        if "project.read" in readable[row.id]
    ]


def _find_assets(session: Session, key: str, limit: int, by: Caller) -> list[FoundView]:
    rows = session.execute(
        sa.select(AssetRow, ProjectRow.name)
        .join(ProjectRow, ProjectRow.id == AssetRow.project_id)
        .where(AssetRow.deleted_at.is_(None), contains(AssetRow.name_key, key), _is_readable(session, by))
        .order_by(_likeness(AssetRow.name_key, key), AssetRow.name_key, AssetRow.id)
        .limit(limit)
    )
    return [
        FoundView(
            kind=row.kind,
            id=row.id,
            name=row.name,
            project=project,
            description=row.description,
            link=asset_link(project, row.kind, row.name),
        )
        for row, project in rows
    ]


def _is_readable(session: Session, by: Caller) -> sa.ColumnElement[bool]:
    """Assets of live projects and of kinds that the caller may read there."""
    if by.is_administrator and not by.token_project_id:
        kinds = [kind.name for kind in KINDS if by.may(f"{kind.name}.read")]
        return sa.and_(ProjectRow.deleted_at.is_(None), AssetRow.kind.in_(kinds))
    projects = session.scalars(sa.select(ProjectRow).where(ProjectRow.id.in_(visible_projects(by)))).all()
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for project_id, held in permissions_by_project(session, by, projects).items():
        together[tuple(kind.name for kind in KINDS if f"{kind.name}.read" in held)].append(project_id)
    return sa.or_(
        sa.false(),
        *(sa.and_(AssetRow.project_id.in_(ids), AssetRow.kind.in_(kinds)) for kinds, ids in together.items() if kinds),
    )


def _find_users(session: Session, key: str, limit: int, by: Caller) -> list[FoundView]:
    if not by.may("user.read"):
        return []
    rows = session.scalars(
        sa.select(UserRow)
        .where(UserRow.deleted_at.is_(None), contains(UserRow.name_key, key))
        .order_by(_likeness(UserRow.name_key, key), UserRow.name_key)
        .limit(limit)
    )
    return [
        FoundView(
            kind="user",
            id=row.id,
            name=row.name,
            project=None,
            description=row.display_name,
            link=f"/admin/users?q={quote(row.name, safe='')}",
        )
        for row in rows
    ]


def _likeness(column: Any, key: str) -> sa.ColumnElement[int]:
    return sa.case((column == key, 0), (column.startswith(key, autoescape=True), 1), else_=2)


def _rank(name: str, key: str) -> tuple[int, str]:
    return (0 if name == key else 1 if name.startswith(key) else 2), name
