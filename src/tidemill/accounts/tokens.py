"""API tokens: for scripts, limited in scope and time, shown once."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, find_project, hash_secret, permissions_in
from tidemill.accounts.me import get_own_row
from tidemill.accounts.permissions import PLATFORM_PERMISSIONS, PROGRAM_PERMISSIONS, PROJECT_PERMISSIONS
from tidemill.accounts.schemas.me import TokenCreate, TokenCreated, TokenView
from tidemill.accounts.tables import ProjectRow, TokenRow
from tidemill.kernel.db import Base, contains
from tidemill.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

PREFIX = "tm_"
TOKENS_MAX = 200
NO_SCOPE = "none"
"""The scope of a token that may nothing."""
_KNOWN = dict.fromkeys(PLATFORM_PERMISSIONS + PROJECT_PERMISSIONS)


def list_tokens(session: Session, page: PageQuery, *, by: Caller) -> Page[TokenView]:
    """The caller's own tokens."""
    statement = sa.select(TokenRow).where(TokenRow.user_id == by.user_id, TokenRow.workload_id.is_(None))
    if page.q:
        statement = statement.where(contains(sa.func.lower(TokenRow.name), page.q.lower()))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": TokenRow.name, "created_at": TokenRow.created_at},
        id_column=TokenRow.id,
        default_sort="-created_at",
        view=lambda rows: _views(session, rows),
    )


def create_token(session: Session, body: TokenCreate, *, by: Caller) -> TokenCreated:
    """A new token with its secret, which is not kept. A token cannot make one that may more than itself."""
    user = get_own_row(session, by, lock=True)
    own = sa.select(sa.func.count()).where(TokenRow.user_id == user.id, TokenRow.workload_id.is_(None))
    if (session.scalar(own) or 0) >= TOKENS_MAX:
        raise Conflict("too_many_tokens", max=TOKENS_MAX)
    project = _get_project(session, body, by)
    scopes = _check_scopes(body, by)
    expires_at = None if body.days is None else by.now + timedelta(days=body.days)
    _refuse_longer(session, expires_at, by)
    secret = PREFIX + secrets.token_urlsafe(32)
    row = TokenRow(
        id=new_id("tok"),
        secret_hash=hash_secret(secret),
        user_id=user.id,
        name=body.name,
        scopes=scopes,
        project_id=project.id if project else None,
        created_at=by.now,
        created_by=user.name,
        expires_at=expires_at,
    )
    session.add(row)
    session.flush()
    _record(session, "token.create", row, by, after=_shown(row))
    return TokenCreated(**_view(row, project.name if project else None).model_dump(), token=secret)


def delete_token(session: Session, token: str, *, by: Caller) -> None:
    """Voids a token of the caller's own; a limited token can only void itself."""
    row = session.scalar(sa.select(TokenRow).where(TokenRow.id == token, TokenRow.user_id == by.user_id))
    if row is None:
        raise NotFound("token_not_found")
    if by.is_limited and row.id != by.token_id:
        raise Forbidden("token_beyond_caller")
    session.delete(row)
    _record(session, "token.delete", row, by, before=_shown(row))


def add_workload_token(
    session: Session, workload_id: str, *, secret: str, user_id: str, project_id: str, scopes: Sequence[str], by: Caller
) -> None:
    """Lets a workload act for its creator, within one project and these scopes, until `revoke_workload_tokens`."""
    allowed = [one for one in (*PROJECT_PERMISSIONS, *PROGRAM_PERMISSIONS) if one in set(scopes)]
    session.add(
        TokenRow(
            id=new_id("tok"),
            secret_hash=hash_secret(secret),
            user_id=user_id,
            name=workload_id,
            # No scopes at all would mean all of them.
            scopes=allowed or [NO_SCOPE],
            project_id=project_id,
            workload_id=workload_id,
            created_at=by.now,
            created_by=by.user_name,
        )
    )


def revoke_workload_tokens(session: Session, workload_ids: Sequence[str]) -> None:
    """Voids the tokens of these workloads."""
    table = Base.metadata.tables[TokenRow.__tablename__]
    session.execute(sa.delete(table).where(table.c.workload_id.in_(workload_ids)))


def _get_project(session: Session, body: TokenCreate, by: Caller) -> ProjectRow | None:
    if body.project is None:
        if by.token_project_id:
            raise Forbidden("token_beyond_caller", field="project")
        return None
    project = find_project(session, body.project)
    if project is None or not permissions_in(session, by, project):
        raise NotFound("project_not_found", field="project", name=body.project[:100])
    return project


def _check_scopes(body: TokenCreate, by: Caller) -> list[str]:
    unknown = sorted(set(body.scopes) - set(_KNOWN))
    if unknown:
        raise Invalid("permission_unknown", field="scopes", found=", ".join(unknown[:10]))
    if by.scopes and not (body.scopes and set(body.scopes) <= set(by.scopes)):
        raise Forbidden("token_beyond_caller", field="scopes")
    return [permission for permission in _KNOWN if permission in set(body.scopes)]


def _refuse_longer(session: Session, expires_at: datetime | None, by: Caller) -> None:
    if by.token_id is None:
        return
    mine = session.scalar(sa.select(TokenRow.expires_at).where(TokenRow.id == by.token_id))
    if mine is not None and (expires_at is None or expires_at > mine):
        raise Forbidden("token_beyond_caller", field="days")


def _views(session: Session, rows: Sequence[TokenRow]) -> list[TokenView]:
    ids = {row.project_id for row in rows if row.project_id}
    named = session.execute(sa.select(ProjectRow.id, ProjectRow.name).where(ProjectRow.id.in_(ids)))
    names = dict(named.all())
    return [_view(row, names.get(row.project_id or "")) for row in rows]


def _view(row: TokenRow, project: str | None) -> TokenView:
    return TokenView(
        id=row.id,
        name=row.name,
        scopes=row.scopes,
        project=project,
        created_at=row.created_at,
        created_by=row.created_by,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )


def _shown(row: TokenRow) -> dict[str, Any]:
    expires = row.expires_at.isoformat() if row.expires_at else None
    return {"scopes": row.scopes, "project": row.project_id, "expires_at": expires}


def _record(session: Session, action: str, row: TokenRow, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="token", target_id=row.id, target_name=row.name, **change)
