"""One round of admission: what the planner decided is written down before anything is launched."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import system_caller
from tidemill.accounts.tokens import add_workload_token
from tidemill.kernel.db import in_batches
from tidemill.kernel.ids import new_id
from tidemill.workloads import lifecycle
from tidemill.workloads.planning import Decisions, Placement
from tidemill.workloads.secrets import TokenMint
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

PLATFORM = "system"
"""Who moves a workload when nobody in particular does."""
ATTEMPT_PREFIX = "att"


def apply(session: Session, decisions: Decisions, mint: TokenMint, now: datetime) -> list[tuple[str, str]]:
    """Starts and puts out; (workload, attempt) of those that start. What moved meanwhile is left alone."""
    rows = load_rows(session, [key for key, _ in decisions.starts] + [key for key, _ in decisions.preempt])
    attempts = []
    for workload_id, placement in decisions.starts:
        row = rows.get(workload_id)
        if row is not None and row.state == "pending" and (attempt := _start(session, row, placement, mint, now)):
            attempts.append((workload_id, attempt))
    for workload_id, _for in decisions.preempt:
        row = rows.get(workload_id)
        if row is not None and row.state in {"starting", "running"}:
            lifecycle.move(session, row, "stopping", reason="preempted", by=PLATFORM, now=now)
    return attempts


def _start(session: Session, row: WorkloadRow, placement: Placement, mint: TokenMint, now: datetime) -> str | None:
    attempt_id, number = new_id(ATTEMPT_PREFIX), row.attempt + 1
    values: dict[str, Any] = {"attempt": number, "attempt_id": attempt_id, "placement": placement, "started_at": None}
    if not lifecycle.move(session, row, "starting", reason=None, by=PLATFORM, now=now, **values):
        return None
    session.add(
        WorkloadAttemptRow(
            id=attempt_id, workload_id=row.id, number=number, placement=placement, nodes=[], created_at=now
        )
    )
    if row.created_by_id:
        add_workload_token(
            session,
            row.id,
            secret=mint.token(attempt_id),
            user_id=row.created_by_id,
            project_id=row.project_id,
            scopes=row.token_scopes,
            by=system_caller(now),
        )
    return attempt_id


def load_rows(session: Session, ids: Sequence[str]) -> dict[str, WorkloadRow]:
    """Workloads by id, in as few statements as it goes."""
    found: dict[str, WorkloadRow] = {}
    for batch in in_batches(ids):
        rows = session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_(batch)))
        found.update({row.id: row for row in rows})
    return found
