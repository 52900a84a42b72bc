"""The life of a workload: one table of legal moves, one function that moves.

pending → starting → running → completed | failed | stopped
   ↑         │          │
   └─────────┴──────────┴── a retry, or preempted by something more urgent
stopping is on the way to stopped, and what runs out of time or is killed skips it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

import sqlalchemy as sa
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from tidemill.accounts.tokens import revoke_workload_tokens
from tidemill.jobs.texts import Text
from tidemill.kernel.db import Base, announce
from tidemill.kernel.ids import new_id
from tidemill.workloads.tables import WorkloadEventRow, WorkloadRow

State = Literal["pending", "starting", "running", "stopping", "completed", "failed", "stopped"]
STATES: tuple[State, ...] = ("pending", "starting", "running", "stopping", "completed", "failed", "stopped")
FINAL: frozenset[State] = frozenset({"completed", "failed", "stopped"})
HOLDING: frozenset[State] = frozenset({"starting", "running", "stopping"})
"""States in which resources are held."""

Reason = Literal[
    "finished", "exit_code", "user", "time_limit", "idle", "node_lost", "out_of_memory", "preempted",
    "launch_failed", "log_full", "deleted",
]  # fmt: skip

TOPIC = "workloads"
"""Announced with every change of a workload."""

MOVES: dict[State, frozenset[State]] = {
    "pending": frozenset({"starting", "failed", "stopped"}),
    "starting": frozenset({"pending", "running", "stopping", "completed", "failed", "stopped"}),
    "running": frozenset({"pending", "stopping", "completed", "failed", "stopped"}),
    "stopping": frozenset({"pending", "stopped"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "stopped": frozenset(),
}


_TABLE = Base.metadata.tables[WorkloadRow.__tablename__]


class IllegalMove(Exception):
    """Code asked for a move that is not in the table."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A move, as watchers are told of it."""

    from_state: State | None
    to_state: State
    reason: str | None
    at: datetime
    attempt: int


class Watcher(Protocol):
    """A room above that wants to know. Called in the mover's transaction: quick, no network, and what it raises
    undoes the move."""

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        """The workload is now where the event says."""


_watchers: dict[str, Watcher] = {}


def register(kind: str, watcher: Watcher) -> None:
    """Has the watcher told of every move of workloads of that kind; the last one registered counts."""
    _watchers[kind] = watcher


def begin(session: Session, workload: WorkloadRow, *, by: str, now: datetime) -> None:
    """The first event of a workload that was just made."""
    _tell(session, workload, None, None, None, by, now)


def move(
    session: Session,
    workload: WorkloadRow,
    to: State,
    *,
    reason: Reason | None,
    by: str,
    now: datetime,
    message: Text | None = None,
    **values: Any,
) -> bool:
    """Moves the workload if it still is where `workload` says; whether it did. The row then says how it is now."""
    from_state: State = workload.state  # type: ignore[assignment]
    if to not in MOVES[from_state]:
        raise IllegalMove(f"{from_state} → {to}")
    stamps = _stamps(to, reason, message, now) | values
    stamps |= {"state": to, "changed_at": now}
    guard = [_TABLE.c.id == workload.id, _TABLE.c.state == from_state, _TABLE.c.attempt == workload.attempt]
    # On the table and not on the class: one statement, and nothing is read back that is known already.
    revision = session.execute(
        sa.update(_TABLE)
        .where(*guard)
        .values(stamps | {"revision": _TABLE.c.revision + 1})
        .returning(_TABLE.c.revision)
    ).scalar_one_or_none()
    if revision is None:
        return False
    for name, value in (stamps | {"revision": revision}).items():
        set_committed_value(workload, name, value)
    if to in FINAL:
        revoke_workload_tokens(session, [workload.id])
    _tell(session, workload, from_state, reason, message, by, now)
    return True


def _stamps(to: State, reason: Reason | None, message: Text | None, now: datetime) -> dict[str, Any]:
    stamps: dict[str, Any] = {"stop_reason": reason, "message": message}
    if to == "pending":
        # It keeps its place in the line: it waited for it once already.
        stamps |= {"placement": []}
    if to in FINAL:
        stamps |= {"placement": [], "ended_at": now, "secrets": {}}
    return stamps


def _tell(
    session: Session,
    workload: WorkloadRow,
    from_state: State | None,
    reason: Reason | None,
    message: Text | None,
    by: str,
    now: datetime,
) -> None:
    to: State = workload.state  # type: ignore[assignment]
    session.add(
        WorkloadEventRow(
            id=new_id("wev"),
            workload_id=workload.id,
            at=now,
            from_state=from_state,
            to_state=to,
            reason=reason,
            message=message,
            by=by,
            attempt=workload.attempt,
        )
    )
    announce(session, TOPIC)
    if watcher := _watchers.get(workload.kind):
        watcher.moved(session, workload, Moved(from_state, to, reason, now, workload.attempt))
