"""Experiments: runs that belong together, whether a task started them or they were logged from outside."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.kernel.db import contains, take_turn
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.training.schemas import ExperimentPatch, ExperimentView
from tidemill.training.tables import ExperimentRow, RunRow, TaskRow
from tidemill.workloads.lifecycle import FINAL

PREFIX = "exp"
KEY_MAX = 300
"""Of a name, as lists are sorted and searched by it: an index holds no long texts."""
SORTS = {
    "name": ExperimentRow.name_key,
    "created_at": ExperimentRow.created_at,
    "updated_at": ExperimentRow.updated_at,
}


def list_experiments(
    session: Session, page: PageQuery, *, name: str | None, deleted: bool, by: Caller
) -> Page[ExperimentView]:
    """The project's experiments, those with the newest runs first; or the deleted ones."""
    statement = sa.select(ExperimentRow).where(ExperimentRow.project_id == by.project.id)
    gone = ExperimentRow.deleted_at
    statement = statement.where(gone.is_not(None) if deleted else gone.is_(None))
    if name is not None:
        statement = statement.where(ExperimentRow.name == name)
    if page.q:
        statement = statement.where(contains(ExperimentRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts=SORTS,
        id_column=ExperimentRow.id,
        default_sort="-updated_at",
        view=lambda rows: [ExperimentView.model_validate(row) for row in rows],
    )


def find_experiment(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> ExperimentRow | None:
    """An experiment of the project of this call, deleted ones too."""
    by_id = looks_like_id(name_or_id, PREFIX)
    match = ExperimentRow.id == name_or_id if by_id else ExperimentRow.name == name_or_id
    statement = sa.select(ExperimentRow).where(ExperimentRow.project_id == by.project.id, match)
    return session.scalar(statement.with_for_update() if lock else statement)


def get_experiment(
    session: Session, name_or_id: str, *, by: Caller, lock: bool = False, deleted: bool = False
) -> ExperimentRow:
    """`find_experiment`, or NotFound; a deleted one only when asked for."""
    row = find_experiment(session, name_or_id, by=by, lock=lock)
    if row is None or (row.deleted_at is not None and not deleted):
        raise NotFound("experiment_not_found", name=name_or_id[:100])
    return row


def create_experiment(
    session: Session, name: str, *, description: str = "", tags: dict[str, str] | None = None, by: Caller
) -> ExperimentRow:
    """A new one; raises Conflict when there is one of that name, or was until it is gone from the bin."""
    _refuse_taken_name(session, name, by=by)
    return _add(session, name, description=description, tags=tags or {}, by=by)


def ensure_experiment(session: Session, name: str, *, by: Caller) -> ExperimentRow:
    """The one of that name: made when there is none, brought back when it was deleted."""
    take_turn(session, f"experiment:{by.project.id}:{name}")
    row = find_experiment(session, name, by=by, lock=True)
    if row is None:
        return _add(session, name, description="", tags={}, by=by)
    if row.deleted_at is not None:
        restore_experiment(session, row, by=by)
    return row


def of_task(session: Session, task: TaskRow, *, by: Caller) -> ExperimentRow:
    """Where a locked task's runs are."""
    row = session.get(ExperimentRow, task.experiment_id, with_for_update=True) if task.experiment_id else None
    if row is None:
        row = ensure_experiment(session, task.name, by=by)
    elif row.deleted_at is not None:
        restore_experiment(session, row, by=by)
    task.experiment_id = row.id
    return row


def count_run(session: Session, experiment_id: str, change: int, now: datetime) -> None:
    """A run came or went."""
    session.execute(
        sa.update(ExperimentRow)
        .where(ExperimentRow.id == experiment_id)
        .values(runs_count=ExperimentRow.runs_count + change, updated_at=now)
        .execution_options(synchronize_session="evaluate")
    )


def update_experiment(session: Session, row: ExperimentRow, patch: ExperimentPatch, *, by: Caller) -> None:
    """Changes what was named."""
    before = _told(row)
    if patch.name is not None and patch.name != row.name:
        _refuse_taken_name(session, patch.name, by=by)
        row.name, row.name_key = patch.name, name_key(patch.name)[:KEY_MAX]
    if patch.description is not None:
        row.description = patch.description
    if patch.tags is not None:
        row.tags = dict(patch.tags)
    row.updated_at = by.now
    session.flush()
    _audit(session, "experiment.update", row, by=by, before=before, after=_told(row))


def delete_experiment(session: Session, row: ExperimentRow, *, by: Caller) -> None:
    """Puts a locked one away with its runs, until the bin's time is over. Only when none of them goes on."""
    going = session.scalar(
        sa.select(RunRow.name)
        .where(
            RunRow.experiment_id == row.id,
            RunRow.workload_id.is_not(None),
            RunRow.state.not_in(FINAL),
            RunRow.deleted_at.is_(None),
        )
        .limit(1)
    )
    if going is not None:
        raise Conflict("experiment_has_running", name=row.name, run=going)
    row.deleted_at = row.updated_at = by.now
    _move_runs(session, row, to=by.now, where=RunRow.deleted_at.is_(None))
    _audit(session, "experiment.delete", row, by=by, before=_told(row))


def restore_experiment(session: Session, row: ExperimentRow, *, by: Caller) -> None:
    """Brings a locked one back, with the runs that were put away with it."""
    if row.deleted_at is None:
        return
    _move_runs(session, row, to=None, where=RunRow.deleted_at == row.deleted_at)
    row.deleted_at, row.updated_at = None, by.now
    _audit(session, "experiment.restore", row, by=by, after=_told(row))


def _move_runs(session: Session, row: ExperimentRow, *, to: datetime | None, where: sa.ColumnElement[bool]) -> None:
    """Puts runs away or brings them back, and counts them where they are counted."""
    meant = sa.and_(RunRow.experiment_id == row.id, where)
    counted = sa.select(RunRow.task_id, sa.func.count()).where(meant).group_by(RunRow.task_id)
    sign = 1 if to is None else -1
    for task_id, count in session.execute(counted).all():
        row.runs_count += sign * count
        if task_id is not None:
            task = sa.update(TaskRow).where(TaskRow.id == task_id)
            session.execute(task.values(runs_count=TaskRow.runs_count + sign * count))
    session.execute(sa.update(RunRow).where(meant).values(deleted_at=to).execution_options(synchronize_session=False))
    session.flush()


def _add(session: Session, name: str, *, description: str, tags: dict[str, str], by: Caller) -> ExperimentRow:
    row = ExperimentRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        name=name,
        name_key=name_key(name)[:KEY_MAX],
        description=description,
        tags=tags,
        runs_count=0,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    _audit(session, "experiment.create", row, by=by, after=_told(row))
    return row


def _refuse_taken_name(session: Session, name: str, *, by: Caller) -> None:
    taken = session.scalar(
        sa.select(ExperimentRow).where(ExperimentRow.project_id == by.project.id, ExperimentRow.name == name)
    )
    if taken is None:
        return
    code = "experiment_name_taken" if taken.deleted_at is None else "experiment_name_in_bin"
    raise Conflict(code, field="name", name=name[:100])


def _told(row: ExperimentRow) -> dict[str, Any]:
    return {"name": row.name, "description": row.description, "tags": row.tags}


def _audit(session: Session, action: str, row: ExperimentRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="experiment", target_id=row.id, target_name=row.name[:200],
        project_id=row.project_id, **changes,
    )  # fmt: skip
