"""Every call passes here: who is calling, which project they mean, and whether they may.

A route says `caller: Annotated[Caller, needs("algorithm.write")]`. `{kind}` in a permission is filled from the path, so
that the routes of all asset kinds are one set. A project the caller cannot read is not there at all (404); in one they
can read, what they may not do is refused (403).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from fastapi import Depends, Request
from sqlalchemy.orm import Session

from tidemill.accounts.permissions import effective
from tidemill.accounts.tables import (
    GroupMemberRow,
    MembershipRow,
    ProjectRow,
    RoleRow,
    SessionRow,
    TokenRow,
    UserRow,
)
from tidemill.kernel.clock import Clock, utc_now
from tidemill.kernel.db import Database, Glance
from tidemill.kernel.errors import Forbidden, NotFound, Unauthenticated
from tidemill.kernel.fields import name_key
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import looks_like_id
from tidemill.kernel.prepared import Prepared
from tidemill.kernel.web import language_of

COOKIE = "tidemill_session"
CSRF_HEADER = "X-Tidemill"
SEEN_EVERY = timedelta(seconds=60)
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class ProjectRef:
    """The project a call is about."""

    id: str
    name: str
    is_public: bool


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, from where, when, about which project, and what they may do there."""

    user_id: str | None
    user_name: str
    kind: Literal["session", "token", "system"]
    is_administrator: bool
    address: str
    request_id: str
    language: Language
    now: datetime
    is_annotator: bool = False
    must_change_password: bool = False
    session_id: str | None = None
    token_id: str | None = None
    token_project_id: str | None = None
    workload_id: str | None = None
    """The workload whose own token they came with."""
    scopes: tuple[str, ...] = ()
    project_ref: ProjectRef | None = None
    permissions: frozenset[str] = frozenset()
    seen_at: datetime | None = None
    """When this session or token was last noted to be in use, where that is known."""

    @property
    def project(self) -> ProjectRef:
        """The project of this call; only routes under `/projects/{project}` have one."""
        assert self.project_ref is not None, "this route has no project"
        return self.project_ref

    def may(self, permission: str) -> bool:
        """Whether this caller holds the permission, in the project of this call."""
        return permission in self.permissions

    @property
    def is_limited(self) -> bool:
        """Whether they came with a token that may less than its user."""
        return bool(self.scopes) or self.token_project_id is not None


def system_caller(now: datetime | None = None) -> Caller:
    """The platform itself, for what it does on its own."""
    return Caller(
        user_id=None,
        user_name="system",
        kind="system",
        is_administrator=True,
        address="",
        request_id="",
        language="en",
        now=now or utc_now(),
    )


class Needs:
    """Dependency of a route: signs the caller in and demands the permission."""

    def __init__(
        self,
        permission: str | None,
        *,
        before_password_change: bool = False,
        session_only: bool = False,
        in_bin: bool = False,
    ) -> None:
        self.permission = permission
        self.before_password_change = before_password_change
        self.session_only = session_only
        self.in_bin = in_bin

    def __call__(self, request: Request) -> Caller:
        db: Database = request.app.state.db
        with db.glance() as glance:
            caller = identify(glance, request)
            if caller.must_change_password and not self.before_password_change:
                raise Forbidden("password_change_required")
            if self.session_only and caller.kind != "session":
                raise Forbidden("session_required")
            caller = self._in_place(glance, caller, request.path_params.get("project"))
        request.state.caller_key = caller.user_id or caller.user_name
        permission = self._permission(request)
        if permission is not None and not caller.may(permission):
            raise Forbidden("forbidden_permission", permission=permission)
        note_seen(db, caller)
        return caller

    def _in_place(self, glance: Glance, caller: Caller, project_name: str | None) -> Caller:
        if project_name is None:
            return on_platform(caller)
        found, held = _find_place(glance, caller, project_name, in_bin=self.in_bin)
        if found is None or not held or (self.in_bin and "project.manage" not in held):
            raise NotFound("project_not_found", name=project_name[:100])
        return replace(caller, permissions=held, project_ref=found)

    def _permission(self, request: Request) -> str | None:
        if self.permission is None:
            return None
        kind = str(request.path_params.get("kind", "")).removesuffix("s")
        return self.permission.replace("{kind}", kind)


def needs(permission: str, *, in_bin: bool = False) -> Any:
    """The route needs this permission: in the path's project where there is one, on the platform otherwise.

    `in_bin`: the path names a deleted project, which only those who manage projects know of.
    """
    return Depends(Needs(permission, in_bin=in_bin))


def signed_in(*, before_password_change: bool = False, session_only: bool = False) -> Any:
    """The route needs somebody signed in, and acts on what is theirs; `session_only` refuses API tokens."""
    return Depends(Needs(None, before_password_change=before_password_change, session_only=session_only))


def identify(glance: Glance, request: Request) -> Caller:
    """Who sent this request; raises Unauthenticated when nobody did."""
    authorization = request.headers.get("Authorization")
    if authorization:
        return _by_token(glance, request, authorization)
    secret = request.cookies.get(COOKIE)
    if not secret:
        raise Unauthenticated
    if request.method not in _SAFE_METHODS and CSRF_HEADER not in request.headers:
        raise Forbidden("csrf", header=CSRF_HEADER)
    return _by_session(glance, request, secret)


def hash_secret(secret: str) -> str:
    """What we keep of a session's or token's secret (they are random and long: a plain hash is enough)."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(secret: str) -> sa.ColumnElement[bool]:
    """The token with that secret, for `caller_of_token`."""
    return TokenRow.secret_hash == hash_secret(secret.strip())


def caller_of_token(session: Session, request: Request, which: sa.ColumnElement[bool]) -> Caller:
    """Who the token stands for; raises Unauthenticated when there is none, or it is past its time."""
    found = session.execute(
        sa.select(TokenRow, UserRow).join(UserRow, UserRow.id == TokenRow.user_id).where(which)
    ).one_or_none()
    if found is None:
        raise Unauthenticated("token_invalid")
    token, user = found
    now = _now(request)
    if token.expires_at is not None and token.expires_at <= now:
        raise Unauthenticated("token_expired")
    return _caller(
        request,
        user,
        now,
        "token",
        token_id=token.id,
        scopes=tuple(token.scopes),
        token_project_id=token.project_id,
        workload_id=token.workload_id,
    )


def find_project(session: Session, name_or_id: str) -> ProjectRow | None:
    """The live project of that name or id."""
    live = sa.select(ProjectRow).where(ProjectRow.deleted_at.is_(None))
    if looks_like_id(name_or_id, "prj"):
        return session.scalar(live.where(ProjectRow.id == name_or_id))
    return session.scalar(live.where(ProjectRow.name_key == name_key(name_or_id)))


def permissions_in(session: Session, caller: Caller, project: ProjectRow) -> frozenset[str]:
    """What the caller may do in that project; empty when it should not know of it."""
    return permissions_by_project(session, caller, [project])[project.id]


def permissions_by_project(
    session: Session, caller: Caller, projects: Sequence[ProjectRow]
) -> dict[str, frozenset[str]]:
    """What the caller may do in each of these projects."""
    granted: dict[str, set[str]] = {project.id: set() for project in projects}
    for project_id, role in roles_by_project(session, caller.user_id, list(granted)):
        granted[project_id].update(role.permissions)
    return {project.id: _effective_in(caller, project, granted[project.id]) for project in projects}


def roles_by_project(
    session: Session, user_id: str | None, project_ids: Sequence[str]
) -> Sequence[tuple[str, RoleRow]]:
    """(project id, role) for each role the user has there, by themselves or through a group."""
    groups = sa.select(GroupMemberRow.group_id).where(GroupMemberRow.user_id == user_id)
    found = session.execute(
        sa.select(MembershipRow.project_id, RoleRow)
        .join(RoleRow, MembershipRow.role_id == RoleRow.id)
        .where(
            MembershipRow.project_id.in_(project_ids),
            sa.or_(MembershipRow.user_id == user_id, MembershipRow.group_id.in_(groups)),
        )
    )
    return [(project_id, role) for project_id, role in found]


def on_platform(caller: Caller) -> Caller:
    """The caller with what they may do outside of projects."""
    if caller.token_project_id:
        return replace(caller, permissions=frozenset())
    held = effective(
        (),
        is_administrator=caller.is_administrator,
        is_annotator=caller.is_annotator,
        is_public=False,
        scopes=caller.scopes,
    )
    return replace(caller, permissions=held)


def address_of(request: Request) -> str:
    """The address the call came from."""
    return request.client.host if request.client else ""


def _effective_in(caller: Caller, project: ProjectRow | ProjectRef, granted: set[str]) -> frozenset[str]:
    if caller.token_project_id and caller.token_project_id != project.id:
        return frozenset()
    return effective(
        granted,
        is_administrator=caller.is_administrator,
        is_annotator=caller.is_annotator,
        is_public=project.is_public,
        scopes=caller.scopes,
    )


def _find_place(
    glance: Glance, caller: Caller, name_or_id: str, *, in_bin: bool
) -> tuple[ProjectRef | None, frozenset[str]]:
    """The project of that name or id and what the caller may do there, in one statement.

    Of several of one name in the bin it is the one deleted last.
    """
    by_id = looks_like_id(name_or_id, "prj")
    wanted = name_or_id if by_id else name_key(name_or_id)
    rows = _PLACES[by_id, in_bin].rows(glance, project=wanted, user=caller.user_id)
    if not rows:
        return None, frozenset()
    project = ProjectRef(*rows[0][:3])
    granted = {permission for row in rows if row[0] == project.id for permission in row[3] or ()}
    return project, _effective_in(caller, project, granted)


def _by_token(glance: Glance, request: Request, authorization: str) -> Caller:
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated
    rows = _TOKEN.rows(glance, hash=hash_secret(secret.strip()))
    if not rows:
        raise Unauthenticated("token_invalid")
    token_id, scopes, project_id, workload_id, expires_at, seen_at, *about = rows[0]
    now = _now(request)
    if expires_at is not None and expires_at <= now:
        raise Unauthenticated("token_expired")
    return _caller(
        request,
        _User(*about),
        now,
        "token",
        token_id=token_id,
        scopes=tuple(scopes),
        token_project_id=project_id,
        workload_id=workload_id,
        seen_at=seen_at,
    )


def _by_session(glance: Glance, request: Request, secret: str) -> Caller:
    rows = _SESSION.rows(glance, hash=hash_secret(secret))
    now = _now(request)
    if not rows or rows[0][1] <= now:
        raise Unauthenticated
    session_id, _, seen_at, *about = rows[0]
    return _caller(request, _User(*about), now, "session", session_id=session_id, seen_at=seen_at)


class _User(NamedTuple):
    """What a call needs of a user's row."""

    id: str
    name: str
    kind: str
    is_disabled: bool
    deleted_at: datetime | None
    must_change_password: bool


_USER = tuple(getattr(UserRow, name) for name in _User._fields)
_TOKEN = Prepared(
    sa.select(
        TokenRow.id,
        TokenRow.scopes,
        TokenRow.project_id,
        TokenRow.workload_id,
        TokenRow.expires_at,
        TokenRow.last_used_at,
        *_USER,
    )
    .join(UserRow, UserRow.id == TokenRow.user_id)
    .where(TokenRow.secret_hash == sa.bindparam("hash", type_=sa.Text()))
)
_SESSION = Prepared(
    sa.select(SessionRow.id, SessionRow.expires_at, SessionRow.last_seen_at, *_USER)
    .join(UserRow, UserRow.id == SessionRow.user_id)
    .where(SessionRow.secret_hash == sa.bindparam("hash", type_=sa.Text()))
)


def _place(column: Any, in_bin: bool) -> Prepared:
    """A project and the permissions of each role the user has there, by themselves or through a group."""
    user = sa.bindparam("user", type_=sa.Text())
    groups = sa.select(GroupMemberRow.group_id).where(GroupMemberRow.user_id == user)
    mine = sa.or_(MembershipRow.user_id == user, MembershipRow.group_id.in_(groups))
    found = (
        sa.select(ProjectRow.id, ProjectRow.name, ProjectRow.is_public, RoleRow.permissions)
        .select_from(ProjectRow)
        .outerjoin(MembershipRow, sa.and_(MembershipRow.project_id == ProjectRow.id, mine))
        .outerjoin(RoleRow, RoleRow.id == MembershipRow.role_id)
        .where(column == sa.bindparam("project", type_=sa.Text()))
    )
    if not in_bin:
        return Prepared(found.where(ProjectRow.deleted_at.is_(None)))
    return Prepared(found.where(ProjectRow.deleted_at.is_not(None)).order_by(ProjectRow.deleted_at.desc()))


_PLACES = {
    (by_id, in_bin): _place(ProjectRow.id if by_id else ProjectRow.name_key, in_bin)
    for by_id in (False, True)
    for in_bin in (False, True)
}


def _caller(
    request: Request, user: "UserRow | _User", now: datetime, kind: Literal["session", "token"], **more: Any
) -> Caller:
    if user.is_disabled or user.deleted_at is not None:
        raise Unauthenticated
    return Caller(
        user_id=user.id,
        user_name=user.name,
        kind=kind,
        is_administrator=user.kind == "administrator",
        is_annotator=user.kind == "annotator",
        address=address_of(request),
        request_id=getattr(request.state, "request_id", ""),
        language=language_of(request),
        now=now,
        must_change_password=user.must_change_password,
        **more,
    )


def _now(request: Request) -> datetime:
    clock: Clock = request.app.state.clock
    return clock()


def note_seen(db: Database, caller: Caller) -> None:
    """Remembers when a session, token and user were last seen, at most once a minute each."""
    if caller.seen_at is not None and caller.seen_at >= caller.now - SEEN_EVERY:
        return
    table: Any = SessionRow if caller.session_id else TokenRow
    column = SessionRow.last_seen_at if caller.session_id else TokenRow.last_used_at
    key = caller.session_id or caller.token_id
    stale = sa.or_(column.is_(None), column < caller.now - SEEN_EVERY)
    with db.read() as session:
        if session.scalar(sa.select(table.id).where(table.id == key, stale)) is None:
            return
    with db.write() as session:
        session.execute(sa.update(table).where(table.id == key).values({column.key: caller.now}))
        session.execute(sa.update(UserRow).where(UserRow.id == caller.user_id).values(last_seen_at=caller.now))
