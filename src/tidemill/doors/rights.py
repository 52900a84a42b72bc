"""Whether somebody who is inside may still be: looked up again and again, cheaply."""

import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, replace

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_in, system_caller
from tidemill.accounts.tables import ProjectRow, SessionRow, TokenRow, UserRow
from tidemill.doors.office import Grant
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.workloads.tables import WorkloadRow

LOOK_EVERY_S = 3.0
"""How long after a sign-out, a lost right or the end of a workload a connection may go on."""
_KEPT_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Running:
    """A workload that runs, as the engine knows it."""

    workload_id: str
    project_id: str
    kind: str
    launch_id: str
    nodes: int


class Rights:
    """Answers are kept for a few seconds, so that a page of a hundred files asks the database once."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._kept: dict[Hashable, tuple[float, Running | None]] = {}
        self._lock = threading.Lock()

    def look(self, grant: Grant) -> Running | None:
        """What the grant is for, when it runs and its holder may still go there."""
        with self._lock:
            found = self._kept.get(grant)
        if found is not None and found[0] > time.monotonic():
            return found[1]
        with self._db.read() as session:
            running = self._look(session, grant)
        with self._lock:
            if len(self._kept) >= _KEPT_MAX:
                self._kept.clear()
            self._kept[grant] = (time.monotonic() + LOOK_EVERY_S, running)
        return running

    def _look(self, session: Session, grant: Grant) -> Running | None:
        running = find_running(session, grant.workload_id)
        if running is None or grant.node >= running.nodes:
            return None
        caller = self._caller(session, grant)
        if caller is None or not may_in(session, caller, running.project_id, grant.permission):
            return None
        return running

    def _caller(self, session: Session, grant: Grant) -> Caller | None:
        now = self._clock()
        user = session.get(UserRow, grant.user_id)
        if user is None or user.is_disabled or user.deleted_at is not None or user.must_change_password:
            return None
        caller = caller_for(user, system_caller(now))
        if grant.session_id is not None:
            row = session.get(SessionRow, grant.session_id)
            return caller if row is not None and row.user_id == user.id and row.expires_at > now else None
        token = session.get(TokenRow, grant.token_id) if grant.token_id else None
        if token is None or token.user_id != user.id or (token.expires_at is not None and token.expires_at <= now):
            return None
        return replace(caller, scopes=tuple(token.scopes), token_project_id=token.project_id)


def caller_for(user: UserRow, base: Caller) -> Caller:
    """The user as a caller, for looking up what they may; where and when are `base`'s."""
    return replace(
        base,
        user_id=user.id,
        user_name=user.name,
        kind="session",
        is_administrator=user.kind == "administrator",
        is_annotator=user.kind == "annotator",
        must_change_password=user.must_change_password,
    )


def may_in(session: Session, caller: Caller, project_id: str, permission: str) -> bool:
    """Whether the caller holds the permission in a project that is not deleted."""
    project = session.scalar(sa.select(ProjectRow).where(ProjectRow.id == project_id, ProjectRow.deleted_at.is_(None)))
    return project is not None and permission in permissions_in(session, caller, project)


def find_running(session: Session, workload_id: str) -> Running | None:
    """The workload, when it runs."""
    row = session.get(WorkloadRow, workload_id, populate_existing=True)
    if row is None or row.state != "running" or row.attempt_id is None or row.deleted_at is not None:
        return None
    return Running(row.id, row.project_id, row.kind, row.attempt_id, row.nodes)
