"""The life of a job: one table of legal moves, one function that moves.

waiting → running → completed | failed | cancelled
   ↑         │
   └─────────┘  its process died or is closing: it runs again from the start
waiting → cancelled
"""

from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import announce

State = Literal["waiting", "running", "completed", "failed", "cancelled"]
STATES: tuple[State, ...] = ("waiting", "running", "completed", "failed", "cancelled")
FINAL: frozenset[State] = frozenset({"completed", "failed", "cancelled"})

TOPIC = "jobs"
"""Announced with every change of a job or notification."""

MOVES: dict[State, frozenset[State]] = {
    "waiting": frozenset({"running", "cancelled"}),
    "running": frozenset({"waiting", "completed", "failed", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}


class IllegalMove(Exception):
    """Code asked for a move that is not in the table."""


def move(
    session: Session,
    job_id: str,
    from_state: State,
    to_state: State,
    *,
    now: datetime,
    held_by: str | None = None,
    **values: Any,
) -> bool:
    """Moves the job if it still is where the caller saw it (and, given an owner, still held by it); whether it did."""
    if to_state not in MOVES[from_state]:
        raise IllegalMove(f"{from_state} → {to_state}")
    stamps: dict[str, Any] = {"state": to_state, "changed_at": now, "revision": JobRow.revision + 1}
    if to_state != "running":
        stamps |= {"owner": None, "heartbeat_at": None}
    if to_state in FINAL:
        stamps |= {"finished_at": now}
    guard = [JobRow.id == job_id, JobRow.state == from_state]
    if held_by is not None:
        guard.append(JobRow.owner == held_by)
    moved = session.execute(sa.update(JobRow).where(*guard).values(stamps | values))
    announce(session, TOPIC)
    return int(getattr(moved, "rowcount", 0)) == 1
