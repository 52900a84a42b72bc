"""The caller's own account."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, on_platform, permissions_by_project, roles_by_project
from tidemill.accounts.attempts import forget_attempts, reserve_attempt
from tidemill.accounts.passwords import Passwords
from tidemill.accounts.permissions import PLATFORM_PERMISSIONS, PROJECT_PERMISSIONS
from tidemill.accounts.projects import my_projects
from tidemill.accounts.schemas.me import MePatch, MeView, MyProject, PasswordChange
from tidemill.accounts.sessions import end_all_sessions
from tidemill.accounts.tables import UserRow
from tidemill.accounts.users import note_search_key
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, Unauthenticated
from tidemill.kernel.settings import Settings

PROJECTS_SHOWN = 200


def get_me(session: Session, *, by: Caller) -> MeView:
    """Who the caller is and what they may do."""
    user = get_own_row(session, by)
    held = on_platform(by).permissions
    return MeView(
        id=user.id,
        name=user.name,
        display_name=user.display_name,
        mail=user.mail,
        kind=user.kind,
        language=user.language,
        must_change_password=user.must_change_password,
        permissions=[permission for permission in PLATFORM_PERMISSIONS if permission in held],
        projects=_projects(session, by),
        created_at=user.created_at,
        created_by=user.created_by,
    )


def update_me(session: Session, patch: MePatch, *, by: Caller) -> MeView:
    """Changes the caller's own account; a changed mail signs them out everywhere."""
    user = get_own_row(session, by, lock=True)
    before = _shown(user)
    if patch.display_name is not None:
        user.display_name = patch.display_name
    if "language" in patch.model_fields_set:
        user.language = patch.language
    if patch.mail is not None and patch.mail != user.mail:
        user.mail = patch.mail
        end_all_sessions(session, user.id)
    note_search_key(user)
    if _shown(user) != before:
        _record(session, "user.update", user, by, before=before, after=_shown(user))
    return get_me(session, by=by)


def change_password(
    db: Database, passwords: Passwords, settings: Settings, body: PasswordChange, *, by: Caller
) -> None:
    """Changes the caller's own password and ends all their sessions. Wrong old passwords count as sign-in attempts."""
    if body.new_password == body.old_password:
        raise Invalid("password_unchanged", field="new_password")
    with db.write() as session:
        reserve_attempt(session, account=by.user_name, address=by.address, now=by.now, settings=settings)
        stored = get_own_row(session, by).password_hash
    if not passwords.verify(stored, body.old_password):
        raise Invalid("password_wrong", field="old_password")
    fresh = passwords.hash_new(body.new_password, field="new_password")
    with db.write() as session:
        user = get_own_row(session, by, lock=True)
        if user.password_hash != stored:
            raise Conflict("conflict_race")
        user.password_hash = fresh
        user.must_change_password = False
        forget_attempts(session, user.name)
        end_all_sessions(session, user.id)
        _record(session, "user.change_password", user, by)


def get_own_row(session: Session, by: Caller, *, lock: bool = False) -> UserRow:
    """The caller's row; raises when they were disabled or deleted a moment ago."""
    statement = sa.select(UserRow).where(
        UserRow.id == by.user_id, UserRow.deleted_at.is_(None), UserRow.is_disabled.is_(False)
    )
    user = session.scalar(statement.with_for_update() if lock else statement)
    if user is None:
        raise Unauthenticated
    return user


def _projects(session: Session, by: Caller) -> list[MyProject]:
    projects = my_projects(session, by, limit=PROJECTS_SHOWN)
    permissions = permissions_by_project(session, by, projects)
    roles: dict[str, list[str]] = {}
    for project_id, role in roles_by_project(session, by.user_id, [project.id for project in projects]):
        roles.setdefault(project_id, []).append(role.name)
    return [
        MyProject(
            id=project.id,
            name=project.name,
            role_names=sorted(set(roles.get(project.id, []))),
            permissions=[permission for permission in PROJECT_PERMISSIONS if permission in permissions[project.id]],
            is_public=project.is_public,
        )
        for project in projects
        if permissions[project.id]
    ]


def _shown(user: UserRow) -> dict[str, Any]:
    return {"display_name": user.display_name, "mail": user.mail, "language": user.language}


def _record(session: Session, action: str, user: UserRow, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="user", target_id=user.id, target_name=user.name, **change)
