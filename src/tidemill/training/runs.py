"""Runs: started, listed, stopped, resumed, deleted."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.store import trees
from tidemill.store.tables import TreeRow
from tidemill.training import experiments, facts, launching
from tidemill.training.schemas import RunState, RunView, TaskStart
from tidemill.training.settings import TaskSettings
from tidemill.training.tables import RunRow, TaskRow
from tidemill.training.tasks import get_task
from tidemill.training.views import run_views
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow

PREFIX = "run"


def list_runs(
    session: Session, page: PageQuery, *, task: str | None = None, state: RunState | None = None, by: Caller
) -> Page[RunView]:
    """The project's runs, or one task's, newest first."""
    statement = sa.select(RunRow).where(RunRow.project_id == by.project.id, RunRow.deleted_at.is_(None))
    total = None
    if task is not None:
        row = get_task(session, task, by=by)
        statement = statement.where(RunRow.task_id == row.id)
        total = None if state or page.q else row.runs_count
    if state:
        statement = statement.where(RunRow.state == state)
    if page.q:
        statement = statement.where(contains(RunRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": RunRow.name_key, "created_at": RunRow.created_at},
        id_column=RunRow.id,
        default_sort="-created_at",
        view=lambda rows: run_views(session, rows, by.language),
        total=total,
    )


def find_run(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> RunRow | None:
    """A run of the project of this call. A name that was given twice, after a task was renamed, means the newer."""
    by_id = looks_like_id(name_or_id, PREFIX)
    match = RunRow.id == name_or_id if by_id else RunRow.name_key == name_key(name_or_id)
    mine = sa.select(RunRow).where(RunRow.project_id == by.project.id, match, RunRow.deleted_at.is_(None))
    statement = mine.order_by(RunRow.id.desc()).limit(1)
    return session.scalar(statement.with_for_update() if lock else statement)


def get_run(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> RunRow:
    """`find_run`, or NotFound."""
    row = find_run(session, name_or_id, by=by, lock=lock)
    if row is None:
        raise NotFound("run_not_found", name=name_or_id[:100])
    return row


def start_task(session: Session, task: TaskRow, body: TaskStart, *, by: Caller) -> RunRow:
    """A new run of a locked task; it waits in the queue until there is room for it."""
    settings = launching.pin(session, _with_changes(task, body), by=by)
    experiment = experiments.of_task(session, task, by=by)
    task.last_number += 1
    run = RunRow(
        id=new_id(PREFIX),
        project_id=task.project_id,
        experiment_id=experiment.id,
        task_id=task.id,
        number=task.last_number,
        name=f"{task.name}-{task.last_number}",
        name_key=name_key(f"{task.name}-{task.last_number}"),
        settings=settings.model_dump(mode="json"),
        start_ms=int(by.now.timestamp() * 1000),
        links={},
        attempts_before=0,
        metrics_open=True,
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    workload = workloads.submit(session, launching.wanted(session, run, workspace=None, resume_from=None, by=by), by=by)
    run.workload_id, run.state = workload.id, workload.state
    session.add(run)
    session.flush()
    facts.add_parameters(session, run, settings.parameters)
    experiments.count_run(session, experiment.id, 1, by.now)
    task.runs_count += 1
    task.last_run_id, task.updated_at = run.id, by.now
    session.flush()
    _audit(session, "run.start", run, by=by, after={"task": task.name, "spec": settings.spec, "nodes": settings.nodes})
    return run


def stop_run(session: Session, run: RunRow, *, by: Caller) -> None:
    """Asks it to end; one that has ended stays as it is."""
    workloads.stop(session, carrier_of(run), by=by)
    session.flush()
    _audit(session, "run.stop", run, by=by)


def resume_run(session: Session, run: RunRow, *, resume_from: str | None, by: Caller) -> None:
    """Lets a locked, ended run go on from a checkpoint, in the workspace it left."""
    carrier = carrier_of(run)
    if run.state not in FINAL:
        raise Conflict("run_not_ended", name=run.name, state=run.state)
    if resume_from is None:
        raise Conflict("run_no_checkpoint", name=run.name)
    before = session.get_one(WorkloadRow, carrier)
    if is_saving(before):
        # Its files are being read: what goes on in the same workspace would write into them.
        raise Conflict("run_saving", name=run.name)
    run.attempts_before += before.attempt
    wanted = launching.wanted(session, run, workspace=before.workspace, resume_from=resume_from, by=by)
    workload = workloads.submit(session, wanted, by=by)
    run.workload_id, run.state = workload.id, workload.state
    run.resumed_from, run.metrics_open, run.end_ms = resume_from, True, None
    run.changed_at, run.revision = by.now, run.revision + 1
    session.flush()
    _audit(session, "run.resume", run, by=by, after={"from": resume_from})


def is_saving(workload: WorkloadRow) -> bool:
    """Whether what it left behind is still being made into a version."""
    return workload.outputs_state == "waiting"


def delete_run(session: Session, run: RunRow, *, by: Caller) -> None:
    """Removes an ended run with its curves, its files, its workloads and its workspace; the model it saved stays."""
    if run.workload_id is not None and run.state not in FINAL:
        raise Conflict("run_not_ended", name=run.name, state=run.state)
    for workload in workloads_of(session, run.id):
        if workload.state not in FINAL:
            raise Conflict("run_viewed", name=run.name)
        workloads.delete(session, workload.id, by=by)
    task = session.get_one(TaskRow, run.task_id, with_for_update=True) if run.task_id else None
    session.delete(run)
    session.flush()
    if run.tree_id is not None:
        trees.drop(session, session.get_one(TreeRow, run.tree_id))
    if run.deleted_at is None:
        _count(session, run, task, -1, by.now)
    if task is not None:
        newest = sa.select(RunRow.id).where(RunRow.task_id == task.id).order_by(RunRow.number.desc()).limit(1)
        task.last_run_id = session.scalar(newest)
    _audit(session, "run.delete", run, by=by, before={"task": task.name if task else None, "state": run.state})


def put_away(session: Session, run: RunRow, *, by: Caller) -> None:
    """Puts a locked, ended run into the bin: it can be brought back until the bin's time is over."""
    if run.workload_id is not None and run.state not in FINAL:
        raise Conflict("run_not_ended", name=run.name, state=run.state)
    if run.deleted_at is not None:
        return
    run.deleted_at = by.now
    _count(session, run, session.get(TaskRow, run.task_id) if run.task_id else None, -1, by.now)
    _audit(session, "run.put_away", run, by=by, before={"state": run.state})


def bring_back(session: Session, run: RunRow, *, by: Caller) -> None:
    """Takes a locked run out of the bin again."""
    if run.deleted_at is None:
        return
    run.deleted_at = None
    _count(session, run, session.get(TaskRow, run.task_id) if run.task_id else None, 1, by.now)
    _audit(session, "run.bring_back", run, by=by, after={"state": run.state})


def delete_put_away(session: Session, task: TaskRow, *, by: Caller) -> None:
    """Runs of a task that are in the bin go for good: nothing can be brought back to a task that is no more."""
    for run in session.scalars(sa.select(RunRow).where(RunRow.task_id == task.id, RunRow.deleted_at.is_not(None))):
        delete_run(session, run, by=by)


def carrier_of(run: RunRow) -> str:
    """The workload that carries it; raises Conflict for a run from outside, which nothing here carries."""
    if run.workload_id is None:
        raise Conflict("run_from_outside", name=run.name)
    return run.workload_id


def workloads_of(session: Session, run_id: str) -> list[WorkloadRow]:
    """All that ever carried the run or showed it, the last first: what they share is owned by the first."""
    return list(
        session.scalars(
            sa.select(WorkloadRow)
            .where(WorkloadRow.owner_id == run_id, WorkloadRow.deleted_at.is_(None))
            .order_by(WorkloadRow.id.desc())
        )
    )


def _count(session: Session, run: RunRow, task: TaskRow | None, change: int, now: datetime) -> None:
    experiments.count_run(session, run.experiment_id, change, now)
    if task is not None:
        task.runs_count += change
    session.flush()


def _with_changes(task: TaskRow, body: TaskStart) -> TaskSettings:
    settings = TaskSettings.model_validate(task.settings)
    changes: dict[str, Any] = {"spec": body.spec, "priority": body.priority}
    changes = {field: value for field, value in changes.items() if value is not None}
    if body.parameters:
        changes["parameters"] = {**settings.parameters, **body.parameters}
    return settings.model_copy(update=changes)


def _audit(session: Session, action: str, row: RunRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="run", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip
