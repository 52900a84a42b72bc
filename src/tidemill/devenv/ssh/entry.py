"""Who may come in over SSH, and whether they still may.

The user's name in SSH is the environment: its name, its id, or `<project>.<name>`. Whoever knows its password comes in,
and members who may write in environments of its project, by a key they registered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, ProjectRef, find_project, system_caller
from tidemill.accounts.attempts import forget_attempts, reserve_attempt
from tidemill.accounts.passwords import Passwords
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.devenv.tables import EnvironmentRow, SshKeyRow
from tidemill.doors.rights import Running, caller_for, find_running, may_in
from tidemill.kernel.db import Database
from tidemill.kernel.errors import TooMany
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id

PERMISSION = "environment.write"
NAMESAKES_MAX = 5
"""How many environments of one name, in as many projects, a password is tried on."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who showed that they may come in, and by what."""

    environment_id: str
    workload_id: str | None
    password_hash: str | None = None
    key_id: str | None = None


def by_password(app: FastAPI, name: str, password: str, address: str) -> Entry | None:
    """Whoever knows the password. Attempts are counted like those of the sign-in page, before they are tried."""
    db: Database = app.state.db
    passwords: Passwords = app.state.passwords
    now = app.state.clock()
    account = f"ssh {name}"
    try:
        with db.write() as session:
            reserve_attempt(session, account=account, address=address, now=now, settings=app.state.settings)
    except TooMany:
        return None
    with db.read() as session:
        found = find_environments(session, name)[:NAMESAKES_MAX]
    right = next((row for row in found if passwords.verify(row.password_hash, password)), None)
    if right is None:
        if not found:
            passwords.verify(None, password)
        return None
    with db.write() as session:
        forget_attempts(session, account)
    return Entry(right.id, right.workload_id, password_hash=right.password_hash)


def by_key(app: FastAPI, name: str, fingerprint: str) -> Entry | None:
    """A member who registered the key. The signature is checked by the protocol, afterwards."""
    db: Database = app.state.db
    with db.read() as session:
        environments = find_environments(session, name)
        for key in session.scalars(sa.select(SshKeyRow).where(SshKeyRow.fingerprint == fingerprint)):
            for row in environments:
                if _may(session, key.user_id, row.project_id):
                    return Entry(row.id, row.workload_id, key_id=key.id)
    return None


def find_environments(session: Session, name: str) -> Sequence[EnvironmentRow]:
    """Environments that the name may mean, whoever asks."""
    if "\x00" in name or len(name) > 300:
        return []
    live = sa.select(EnvironmentRow).where(EnvironmentRow.deleted_at.is_(None)).order_by(EnvironmentRow.id)
    if looks_like_id(name, "env"):
        return session.scalars(live.where(EnvironmentRow.id == name)).all()
    found = list(session.scalars(live.where(EnvironmentRow.name_key == name_key(name)).limit(100)))
    for place, character in enumerate(name):
        if character == "." and (project := find_project(session, name[:place])):
            match = EnvironmentRow.name_key == name_key(name[place + 1 :])
            found += session.scalars(live.where(EnvironmentRow.project_id == project.id, match))
    return found


def note_entry(app: FastAPI, entry: Entry, address: str) -> None:
    """Writes down that somebody came in, and by which key."""
    db: Database = app.state.db
    now = app.state.clock()
    with db.write() as session:
        row = session.get(EnvironmentRow, entry.environment_id)
        if row is None:
            return
        by = _caller(session, entry, replace(system_caller(now), address=address))
        project = session.get_one(ProjectRow, row.project_id)
        by = replace(by, project_ref=ProjectRef(project.id, project.name, project.is_public))
        if entry.key_id is not None:
            session.execute(sa.update(SshKeyRow).where(SshKeyRow.id == entry.key_id).values(last_used_at=now))
        how = {"by": "password" if entry.key_id is None else "key"}
        audit.record(
            session, "environment.connect", by=by, target_kind="environment", target_id=row.id, target_name=row.name,
            after=how,
        )  # fmt: skip


def no_longer(app: FastAPI, entries: Iterable[Entry]) -> set[Entry]:
    """Those who may not stay: the key or the right is gone, the password changed, or what they came to has ended."""
    db: Database = app.state.db
    with db.read() as session:
        return {entry for entry in set(entries) if not _may_stay(session, entry)}


def find_place(app: FastAPI, entry: Entry) -> Running | None:
    """What runs behind the environment they came to, as long as it is what ran when they came."""
    db: Database = app.state.db
    with db.read() as session:
        return find_running(session, entry.workload_id) if entry.workload_id else None


def _may_stay(session: Session, entry: Entry) -> bool:
    row = session.get(EnvironmentRow, entry.environment_id)
    if row is None or row.deleted_at is not None or row.workload_id != entry.workload_id:
        return False
    if row.workload_id is not None and find_running(session, row.workload_id) is None:
        return False
    if entry.key_id is None:
        return row.password_hash == entry.password_hash
    key = session.get(SshKeyRow, entry.key_id)
    return key is not None and _may(session, key.user_id, row.project_id)


def _may(session: Session, user_id: str, project_id: str) -> bool:
    user = session.get(UserRow, user_id)
    if user is None or user.is_disabled or user.deleted_at is not None or user.must_change_password:
        return False
    return may_in(session, caller_for(user, system_caller()), project_id, PERMISSION)


def _caller(session: Session, entry: Entry, base: Caller) -> Caller:
    key = session.get(SshKeyRow, entry.key_id) if entry.key_id else None
    user = session.get(UserRow, key.user_id) if key else None
    return caller_for(user, base) if user else replace(base, user_name="ssh")
