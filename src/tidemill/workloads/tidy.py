"""The end of what has ended: deleted workloads, old logs, projects that go."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from tidemill.accounts.access import system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.engines.base import Engine
from tidemill.kernel.db import Database, in_batches
from tidemill.kernel.errors import Conflict
from tidemill.workloads import service
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

BATCH = 200


def remove_deleted(db: Database, engine: Engine) -> None:
    """Takes deleted workloads apart: first what the engine has of them, then their rows."""
    with db.read() as session:
        deleted = session.scalars(
            sa.select(WorkloadRow.id)
            .where(WorkloadRow.deleted_at.is_not(None), WorkloadRow.outputs_state != "waiting")
            .limit(BATCH)
        ).all()
    for workload_id in deleted:
        remove(db, engine, workload_id)


def remove(db: Database, engine: Engine, workload_id: str) -> bool:
    """One ended workload, for good; False while the engine is not done with it. Safe to repeat."""
    with db.read() as session:
        row = session.get(WorkloadRow, workload_id)
        if row is None:
            return True
        attempts = session.scalars(
            sa.select(WorkloadAttemptRow.id).where(WorkloadAttemptRow.workload_id == workload_id)
        ).all()
    seen = engine.seen(attempts)
    alive = [attempt for attempt in attempts if seen[attempt].state in {"starting", "running"}]
    for attempt in alive:
        engine.stop(attempt)
    if alive:
        return False
    for attempt in attempts:
        if seen[attempt].state != "absent":
            engine.forget(attempt)
    if row.owns_workspace:
        engine.remove_workspace(row.workspace)
    with db.write() as session:
        session.execute(sa.delete(WorkloadRow).where(WorkloadRow.id == workload_id))
    return True


def forget_old_logs(db: Database, engine: Engine, now: datetime, days: float) -> None:
    """Logs and curves of what ended long ago; the workload itself stays."""
    for batch in in_batches(list(engine.launches())):
        with db.read() as session:
            old = session.scalars(
                sa.select(WorkloadAttemptRow.id)
                .join(WorkloadRow, WorkloadRow.id == WorkloadAttemptRow.workload_id)
                .where(WorkloadAttemptRow.id.in_(batch), WorkloadRow.ended_at < now - timedelta(days=days))
            ).all()
        for attempt in old:
            engine.forget(attempt)


def stop_in_deleted_projects(db: Database, now: datetime) -> None:
    """What runs or waits in a project that is in the bin is stopped."""
    with db.read() as session:
        running = session.scalars(
            sa.select(WorkloadRow.id)
            .join(ProjectRow, ProjectRow.id == WorkloadRow.project_id)
            .where(WorkloadRow.ended_at.is_(None), WorkloadRow.state != "stopping", ProjectRow.deleted_at.is_not(None))
        ).all()
    if not running:
        return
    with db.write() as session:
        for workload_id in running:
            service.stop(session, workload_id, reason="deleted", by=system_caller(now))


def clear_project(db: Database, engine: Engine, project_id: str) -> None:
    """Before a project goes for good: nothing of its workloads is left. Raises while something still runs."""
    while True:
        with db.read() as session:
            rows = session.execute(
                sa.select(WorkloadRow.id, WorkloadRow.state).where(WorkloadRow.project_id == project_id).limit(BATCH)
            ).all()
        if not rows:
            return
        if any(state not in FINAL for _, state in rows) or not all(remove(db, engine, row_id) for row_id, _ in rows):
            raise Conflict("workload_not_ended", name=rows[0][0])
