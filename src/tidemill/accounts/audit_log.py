"""Reading the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.schemas.audit import AuditView
from tidemill.accounts.tables import AuditRow, ProjectRow
from tidemill.kernel.db import contains, escape_like
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import Page, PageQuery, fetch_page


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What to show. `action` may end in `*`: `project.*` is every change of projects."""

    actor: str | None = None
    action: str | None = None
    target_kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_audit(
    session: Session, page: PageQuery, wanted: AuditFilter, *, project_id: str | None = None
) -> Page[AuditView]:
    """Changes, newest first: of one project, or of everything."""
    statement = sa.select(AuditRow).where(*_conditions(wanted, page.q))
    if project_id is not None:
        statement = statement.where(AuditRow.project_id == project_id)
    return fetch_page(
        session,
        statement,
        page,
        sorts={"at": AuditRow.id, "created_at": AuditRow.id},
        id_column=AuditRow.id,
        default_sort="-at",
        view=lambda rows: _views(session, rows),
    )


def _conditions(wanted: AuditFilter, q: str | None) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if wanted.actor:
        found.append(AuditRow.actor == wanted.actor)
    if wanted.action and wanted.action.endswith("*"):
        found.append(AuditRow.action.like(escape_like(wanted.action[:-1]) + "%", escape="\\"))
    elif wanted.action:
        found.append(AuditRow.action == wanted.action)
    if wanted.target_kind:
        found.append(AuditRow.target_kind == wanted.target_kind)
    if wanted.since:
        found.append(AuditRow.at >= wanted.since)
    if wanted.until:
        found.append(AuditRow.at <= wanted.until)
    if q:
        found.append(contains(AuditRow.search_key, name_key(q)))
    return found


def _views(session: Session, rows: Sequence[AuditRow]) -> list[AuditView]:
    ids = {row.project_id for row in rows if row.project_id}
    named = session.execute(sa.select(ProjectRow.id, ProjectRow.name).where(ProjectRow.id.in_(ids)))
    names = dict(named.all())
    return [
        AuditView(
            id=row.id,
            name=row.action,
            at=row.at,
            actor=row.actor,
            actor_kind=row.actor_kind,
            address=row.address,
            project=names.get(row.project_id or ""),
            action=row.action,
            target_kind=row.target_kind,
            target_id=row.target_id,
            target_name=row.target_name,
            before=row.before,
            after=row.after,
            request_id=row.request_id,
            created_at=row.at,
            created_by=row.actor,
        )
        for row in rows
    ]
