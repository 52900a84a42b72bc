"""Environments that nobody uses are stopped, after a warning.

Used means: its processors work, somebody is inside (a page, a terminal, SSH), or a notebook's kernel is busy. How long
it has been otherwise is kept with the environment, so that a restart of the platform neither stops it too early nor
lets it begin anew.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef, system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.devenv import starting
from tidemill.devenv.jupyter import find_port
from tidemill.devenv.kernels import has_busy_kernel
from tidemill.devenv.tables import EnvironmentRow
from tidemill.doors.activity import Activity
from tidemill.doors.office import Office, base_path
from tidemill.engines.base import Engine, EngineError
from tidemill.jobs.notifications import notify
from tidemill.jobs.texts import text
from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Database
from tidemill.workloads.tables import WorkloadRow

LOOK_EVERY_S = 20.0
BUSY_CPUS = 0.1
"""Below a tenth of one processor, on average since the last look, nothing works there."""
WARN_BEFORE = timedelta(minutes=10)
"""At most; a shorter limit is warned of when a third of it is left."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A running environment that has a limit."""

    environment_id: str
    workload_id: str
    launch_id: str
    nodes: int
    port: int
    idle_since: datetime | None
    started_at: datetime | None


def look(app: FastAPI) -> None:
    """Looks at every running environment once: who is in use, who is to be warned, who is to be stopped."""
    db: Database = app.state.db
    with db.read() as session:
        watched = _find_watched(session)
    activity: Activity = app.state.doors_activity
    activity.forget({one.workload_id for one in watched})
    for one in watched:
        in_use = is_in_use(app, one)
        with db.write() as session:
            _apply(session, one, in_use=in_use, now=app.state.clock())


def is_in_use(app: FastAPI, one: Watched) -> bool:
    """Whether anybody or anything uses it right now; the cheapest question first. Where nobody can say, it is used."""
    activity: Activity = app.state.doors_activity
    if activity.open_now(one.workload_id) > 0:
        return True
    engine: Engine = app.state.engine
    try:
        if any(_cpus(engine, one.launch_id, node) >= BUSY_CPUS for node in range(one.nodes)):
            return True
        return _has_busy_kernel(app, engine, one)
    except EngineError:
        return True


def keep_alive(session: Session, row: EnvironmentRow) -> None:
    """Somebody says that they still need it: the time begins anew."""
    row.idle_since = row.warned_at = None
    session.flush()


def stops_at(row: EnvironmentRow, workload: WorkloadRow | None) -> datetime | None:
    """When it will be stopped, as far as we know now."""
    found = [at for _, at, _ in _ends(row, workload)]
    return min(found) if found else None


def warning_of(row: EnvironmentRow, workload: WorkloadRow | None, now: datetime) -> tuple[str, datetime] | None:
    """What it will be stopped for, and when, if that is soon."""
    soon = [(at, kind) for kind, at, limit_s in _ends(row, workload) if at - now <= _warn_before(limit_s)]
    return (min(soon)[1], min(soon)[0]) if soon else None


def _ends(row: EnvironmentRow, workload: WorkloadRow | None) -> list[tuple[str, datetime, float]]:
    """For what it will be stopped, when, and the limit that says so."""
    if workload is None or workload.state != "running":
        return []
    found = []
    if row.idle_limit_s is not None and row.idle_since is not None:
        found.append(("idle", row.idle_since + timedelta(seconds=row.idle_limit_s), row.idle_limit_s))
    if workload.time_limit_s is not None and workload.started_at is not None:
        end = workload.started_at + timedelta(seconds=workload.time_limit_s)
        found.append(("time_limit", end, workload.time_limit_s))
    return found


def _warn_before(limit_s: float) -> timedelta:
    return min(WARN_BEFORE, timedelta(seconds=limit_s / 3))


def _find_watched(session: Session) -> list[Watched]:
    rows = session.execute(
        sa.select(EnvironmentRow, WorkloadRow)
        .join(WorkloadRow, WorkloadRow.id == EnvironmentRow.workload_id)
        .where(WorkloadRow.state == "running", EnvironmentRow.deleted_at.is_(None))
    )
    return [
        Watched(row.id, work.id, work.attempt_id or "", work.nodes, row.port, row.idle_since, work.started_at)
        for row, work in rows
        if row.idle_limit_s is not None or work.time_limit_s is not None
    ]


def _apply(session: Session, one: Watched, *, in_use: bool, now: datetime) -> None:
    row = session.get(EnvironmentRow, one.environment_id, with_for_update=True, populate_existing=True)
    workload = session.get(WorkloadRow, one.workload_id, populate_existing=True)
    if row is None or workload is None or row.workload_id != one.workload_id or workload.state != "running":
        return
    if in_use:
        if row.idle_since is not None:
            row.idle_since = None
            row.warned_at = None
    elif row.idle_since is None:
        row.idle_since = now
    soon = warning_of(row, workload, now)
    if soon is None:
        return
    kind, at = soon
    if row.warned_at is None:
        row.warned_at = now
        _warn(session, row, kind, at, now)
    if kind == "idle" and at <= now:
        starting.stop(session, row, reason="idle", by=_platform(session, row, now))


def _warn(session: Session, row: EnvironmentRow, kind: str, at: datetime, now: datetime) -> None:
    if row.created_by_id is None:
        return
    minutes = max(1, round((at - now) / timedelta(minutes=1)))
    project = session.get_one(ProjectRow, row.project_id)
    notify(
        session,
        row.created_by_id,
        kind="environment",
        state="info",
        title=text("environment_warning_title", name=row.name),
        body=text(f"environment_stops_{kind}", minutes=minutes),
        link=f"/projects/{project.name}/environments/{row.id}",
        project_id=row.project_id,
        now=now,
    )


def _platform(session: Session, row: EnvironmentRow, now: datetime) -> Caller:
    project = session.get_one(ProjectRow, row.project_id)
    return replace(system_caller(now), project_ref=ProjectRef(project.id, project.name, project.is_public))


def _cpus(engine: Engine, launch_id: str, node: int) -> float:
    points = engine.usage(launch_id, node, since=utc_now() - timedelta(seconds=LOOK_EVERY_S), points=100)
    return sum(point.cpus for point in points) / len(points) if points else 0.0


def _has_busy_kernel(app: FastAPI, engine: Engine, one: Watched) -> bool:
    office: Office = app.state.doors_office
    port = find_port(engine, starting.workspace_key(one.environment_id), one.workload_id)
    port = one.port if port is None else port
    try:
        address = engine.address(one.launch_id, 0, port)
    except EngineError:
        return False
    return has_busy_kernel(address, base_path(one.workload_id, 0, port), token=office.app_token(one.environment_id))
