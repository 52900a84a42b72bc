"""What must be there before anybody can come in: built-in roles, the public project, the first administrator."""

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, system_caller
from tidemill.accounts.passwords import Passwords, generate_password
from tidemill.accounts.permissions import ADMINISTRATOR, BUILTIN_ROLES
from tidemill.accounts.projects import PUBLIC
from tidemill.accounts.roles import ADMINISTRATORS, in_order
from tidemill.accounts.schemas.projects import Quota
from tidemill.accounts.schemas.users import UserCreate
from tidemill.accounts.tables import ProjectRow, RoleRow, UserRow
from tidemill.accounts.users import create_user
from tidemill.kernel.db import Database, take_turn
from tidemill.kernel.ids import new_id
from tidemill.kernel.settings import Settings

FIRST_ADMINISTRATOR = "admin"


def first_start(app: FastAPI) -> None:
    """Makes what is missing and brings built-in roles up to date; safe to repeat, also by several processes at once."""
    db: Database = app.state.db
    settings: Settings = app.state.settings
    by = system_caller(app.state.clock())
    with db.write() as session:
        take_turn(session, "first_start")
        _sync_roles(session, by)
        _make_public_project(session, by)
    app.state.first_admin_password = _make_administrator(db, app.state.passwords, settings, by)


def _sync_roles(session: Session, by: Caller) -> None:
    existing = {row.name_key: row for row in session.scalars(sa.select(RoleRow))}
    for name, permissions in {ADMINISTRATORS: ADMINISTRATOR, **BUILTIN_ROLES}.items():
        row = existing.get(name)
        wanted = in_order(permissions)
        if row is None:
            row = RoleRow(id=new_id("rol"), name=name, name_key=name, created_at=by.now, created_by=by.user_name)
            session.add(row)
        elif row.is_builtin and row.permissions == wanted:
            continue
        row.is_builtin = True
        row.permissions = wanted
        session.flush()
        audit.record(
            session,
            "role.sync",
            by=by,
            target_kind="role",
            target_id=row.id,
            target_name=name,
            after={"permissions": wanted},
        )


def _make_public_project(session: Session, by: Caller) -> None:
    if session.scalar(sa.select(ProjectRow.id).where(ProjectRow.is_public)):
        return
    row = ProjectRow(
        id=new_id("prj"),
        name=PUBLIC,
        name_key=PUBLIC,
        is_public=True,
        storage_used_bytes=0,
        quota=Quota().model_dump(),
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    audit.record(
        session,
        "project.create",
        by=by,
        project_id=row.id,
        target_kind="project",
        target_id=row.id,
        target_name=row.name,
    )


def _make_administrator(db: Database, passwords: Passwords, settings: Settings, by: Caller) -> str | None:
    """The generated password, when one was made; it is told once and kept nowhere."""
    with db.read() as session:
        if _has_users(session):
            return None
    chosen = settings.admin_password.get_secret_value() if settings.admin_password else None
    password = chosen or generate_password()
    password_hash = passwords.hash(password)
    body = UserCreate(
        name=FIRST_ADMINISTRATOR, password=password, kind="administrator", must_change_password=chosen is None
    )
    with db.write() as session:
        take_turn(session, "first_start")
        if _has_users(session):
            return None
        create_user(session, body, password_hash=password_hash, by=by)
    return password if chosen is None else None


def _has_users(session: Session) -> bool:
    return session.scalar(sa.select(UserRow.id).limit(1)) is not None
