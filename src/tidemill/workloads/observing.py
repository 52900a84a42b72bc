"""What the engine shows, turned into moves: a pure judgement, and its application."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.engines.base import Seen
from tidemill.jobs.texts import Text, said, text
from tidemill.kernel.db import Base
from tidemill.workloads import lifecycle
from tidemill.workloads.admission import PLATFORM, load_rows
from tidemill.workloads.lifecycle import HOLDING, Reason, State
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

_ATTEMPTS = Base.metadata.tables[WorkloadAttemptRow.__tablename__]

RETRIED: frozenset[Reason] = frozenset({"exit_code", "node_lost", "out_of_memory", "launch_failed"})
"""Ends that may be an accident. Running out of time or of room for logs would only happen again."""

_ENDS: dict[str, tuple[State, Reason]] = {
    "finished": ("completed", "finished"),
    "exit_code": ("failed", "exit_code"),
    "time_limit": ("stopped", "time_limit"),
    "out_of_memory": ("failed", "out_of_memory"),
    "node_lost": ("failed", "node_lost"),
    "launch_failed": ("failed", "launch_failed"),
    "log_full": ("failed", "log_full"),
    # Somebody ended it behind our back: we only ask the engine to once we have written that down.
    "stopped": ("failed", "node_lost"),
}


@dataclass(frozen=True, slots=True)
class Held:
    """A workload that has a launch, as far as judging it needs."""

    id: str
    state: State
    attempt: int
    attempt_id: str
    stop_reason: str | None
    retries: int
    retries_used: int
    nodes: Any
    has_outputs: bool


Act = Literal["launch", "stop", "abandon"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of one workload: a move, a change of its nodes, something to tell the engine, or nothing."""

    to: State | None = None
    reason: Reason | None = None
    message: Text | None = None
    values: dict[str, Any] = field(default_factory=dict)
    act: Act | None = None
    nodes_changed: bool = False


def judge(held: Held, seen: Seen) -> Verdict:
    """What follows from how the launch is now."""
    changed = _nodes(seen) != held.nodes and seen.state != "absent"
    if seen.state == "ended":
        return _ended(held, seen)
    if held.state == "stopping":
        return Verdict(act="abandon" if seen.state == "absent" else "stop", nodes_changed=changed)
    if seen.state == "absent":
        if held.state == "starting":
            return Verdict(act="launch")
        return end(held, "failed", "node_lost")
    if held.state == "starting" and seen.state == "running":
        return Verdict("running", values={"started_at": seen.started_at}, nodes_changed=changed)
    return Verdict(nodes_changed=changed)


def end(held: Held, to: State, reason: Reason, message: Text | None = None, **values: Any) -> Verdict:
    """The verdict on one whose launch is over: the end, or another try."""
    if held.state == "stopping":
        if held.stop_reason == "preempted":
            return Verdict("pending", "preempted", values=values)
        to, reason = "stopped", held.stop_reason or "user"  # type: ignore[assignment]
    elif reason in RETRIED and held.retries_used < held.retries:
        retried = text("workload_retried", used=held.retries_used + 1, retries=held.retries)
        return Verdict("pending", reason, retried, values | {"retries_used": held.retries_used + 1})
    if held.has_outputs:
        values["outputs_state"] = "waiting"
    return Verdict(to, reason, message, values)


def _ended(held: Held, seen: Seen) -> Verdict:
    to, reason = _ENDS[seen.reason or "node_lost"]
    message = said(seen.message) if seen.message else None
    values: dict[str, Any] = {"exit_code": seen.exit_code}
    if seen.started_at is not None:
        values["started_at"] = seen.started_at
    return end(held, to, reason, message, **values)


def load_held(session: Session) -> list[Held]:
    """Everything that has a launch now."""
    w = WorkloadRow
    found = session.execute(
        sa.select(
            w.id, w.state, w.attempt, w.attempt_id, w.stop_reason, w.retries, w.retries_used, w.outputs,
            WorkloadAttemptRow.nodes,
        )
        .join(WorkloadAttemptRow, WorkloadAttemptRow.id == w.attempt_id)
        .where(w.ended_at.is_(None), w.state.in_(HOLDING))
    )  # fmt: skip
    return [
        Held(
            id=row.id,
            state=row.state,
            attempt=row.attempt,
            attempt_id=row.attempt_id,
            stop_reason=row.stop_reason,
            retries=row.retries,
            retries_used=row.retries_used,
            nodes=row.nodes,
            has_outputs=bool(row.outputs),
        )
        for row in found
    ]


def apply(session: Session, judged: Sequence[tuple[Held, Verdict, Seen]], now: datetime) -> None:
    """Writes down moves and nodes. What somebody else moved meanwhile is left to the next look."""
    rows = load_rows(session, [held.id for held, verdict, _ in judged if verdict.to is not None])
    for held, verdict, seen in judged:
        if verdict.to is not None:
            row = rows.get(held.id)
            if row is None or row.state != held.state or row.attempt_id != held.attempt_id:
                continue
            values = dict(verdict.values)
            lifecycle.move(
                session, row, verdict.to, reason=verdict.reason, by=PLATFORM, now=now, message=verdict.message, **values
            )
        if verdict.to is not None or verdict.nodes_changed:
            _write_attempt(session, held.attempt_id, verdict, seen, now)
        if verdict.nodes_changed and verdict.to is None:
            session.execute(
                sa.update(WorkloadRow)
                .where(WorkloadRow.id == held.id)
                .values(changed_at=now, revision=WorkloadRow.revision + 1)
            )


def _write_attempt(session: Session, attempt_id: str, verdict: Verdict, seen: Seen, now: datetime) -> None:
    values: dict[str, Any] = {"started_at": seen.started_at}
    if seen.state != "absent":
        values["nodes"] = _nodes(seen)
    if verdict.to is not None and verdict.to != "running":
        values |= {"ended_at": seen.ended_at or now, "exit_code": seen.exit_code, "reason": verdict.reason}
    session.execute(sa.update(_ATTEMPTS).where(_ATTEMPTS.c.id == attempt_id).values(values))


def _nodes(seen: Seen) -> list[dict[str, Any]]:
    return [
        {"index": n.index, "host_name": n.host_name, "state": n.state, "exit_code": n.exit_code} for n in seen.nodes
    ]
