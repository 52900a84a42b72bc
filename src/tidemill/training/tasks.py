"""Training tasks: made, changed, copied, deleted."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.kernel.web import describe_broken_rule
from tidemill.training import launching
from tidemill.training.schemas import LastRun, TaskCopy, TaskCreate, TaskPatch, TaskView
from tidemill.training.settings import TaskSettings
from tidemill.training.tables import RunRow, TaskRow

PREFIX = "tsk"
_SETTINGS = set(TaskSettings.model_fields)


def list_tasks(session: Session, page: PageQuery, *, mine: bool, by: Caller) -> Page[TaskView]:
    """The project's tasks."""
    statement = sa.select(TaskRow).where(TaskRow.project_id == by.project.id)
    if mine:
        statement = statement.where(TaskRow.created_by_id == by.user_id)
    if page.q:
        statement = statement.where(contains(TaskRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": TaskRow.name_key, "created_at": TaskRow.created_at, "updated_at": TaskRow.updated_at},
        id_column=TaskRow.id,
        default_sort="-created_at",
        view=lambda rows: task_views(session, rows),
    )


def get_task(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> TaskRow:
    """A task of the project of this call; `lock` for every change."""
    by_id = looks_like_id(name_or_id, PREFIX)
    match = TaskRow.id == name_or_id if by_id else TaskRow.name_key == name_key(name_or_id)
    statement = sa.select(TaskRow).where(TaskRow.project_id == by.project.id, match)
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None:
        raise NotFound("task_not_found", name=name_or_id[:100])
    return row


def create_task(session: Session, body: TaskCreate, *, by: Caller) -> TaskRow:
    settings = TaskSettings.model_validate(body.model_dump(include=_SETTINGS))
    row = _add_task(session, body.name, body.description, settings, by=by)
    _audit(session, "task.create", row, by=by, after=_told(row))
    return row


def update_task(session: Session, row: TaskRow, body: TaskPatch, *, by: Caller) -> None:
    """Changes what was named; runs keep what they were started with."""
    before = _told(row)
    given = body.model_dump(include=body.model_fields_set)
    if body.name is not None and name_key(body.name) != row.name_key:
        _refuse_taken_name(session, body.name, by=by)
    if body.name is not None:
        row.name, row.name_key = body.name, name_key(body.name)
    if body.description is not None:
        row.description = body.description
    changes = {field: value for field, value in given.items() if field in _SETTINGS}
    if changes:
        settings = _checked({**row.settings, **changes}, by=by)
        launching.check(session, settings, by=by)
        row.settings = settings.model_dump(mode="json")
    row.updated_at = by.now
    session.flush()
    _audit(session, "task.update", row, by=by, before=before, after=_told(row))


def copy_task(session: Session, source: TaskRow, body: TaskCopy, *, by: Caller) -> TaskRow:
    """A task of its own with the same settings; runs stay where they are."""
    row = _add_task(session, body.name, source.description, TaskSettings.model_validate(source.settings), by=by)
    _audit(session, "task.copy", row, by=by, after={**_told(row), "from": source.name})
    return row


def delete_task(session: Session, row: TaskRow, *, by: Caller) -> None:
    """Only when it has no runs."""
    if row.runs_count:
        raise Conflict("task_has_runs", name=row.name, count=row.runs_count)
    session.delete(row)
    session.flush()
    _audit(session, "task.delete", row, by=by, before=_told(row))


def task_views(session: Session, rows: Sequence[TaskRow]) -> list[TaskView]:
    """All rows of a page at once, with one query for their newest runs."""
    ids = [row.last_run_id for row in rows if row.last_run_id]
    last = {run.id: run for run in session.scalars(sa.select(RunRow).where(RunRow.id.in_(ids)))}
    return [_view(row, last.get(row.last_run_id or "")) for row in rows]


def task_view(session: Session, row: TaskRow) -> TaskView:
    (view,) = task_views(session, [row])
    return view


def _view(row: TaskRow, last: RunRow | None) -> TaskView:
    return TaskView(
        id=row.id,
        name=row.name,
        description=row.description,
        runs_count=row.runs_count,
        last_run=LastRun.model_validate(last) if last else None,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
        **TaskSettings.model_validate(row.settings).model_dump(),
    )


def _add_task(session: Session, name: str, description: str, settings: TaskSettings, *, by: Caller) -> TaskRow:
    _refuse_taken_name(session, name, by=by)
    launching.check(session, settings, by=by)
    row = TaskRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        name=name,
        name_key=name_key(name),
        description=description,
        settings=settings.model_dump(mode="json"),
        runs_count=0,
        last_number=0,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    return row


def _checked(settings: dict[str, Any], *, by: Caller) -> TaskSettings:
    """A field set to nothing goes back to its default; one that must be there is missed."""
    kept = {field: value for field, value in settings.items() if value is not None}
    try:
        return TaskSettings.model_validate(kept)
    except ValidationError as error:
        details = [describe_broken_rule(found, by.language) for found in error.errors()]
        raise Invalid("invalid", field=details[0]["field"], details=details, message=details[0]["message"]) from error


def _refuse_taken_name(session: Session, name: str, *, by: Caller) -> None:
    taken = sa.select(TaskRow.id).where(TaskRow.project_id == by.project.id, TaskRow.name_key == name_key(name))
    if session.scalar(taken):
        raise Conflict("name_taken", field="name", name=name)


def _told(row: TaskRow) -> dict[str, Any]:
    """For the audit log: variables may hold secrets, so only their names are told."""
    settings = {**row.settings, "environment": sorted(row.settings.get("environment", {}))}
    return {"name": row.name, "description": row.description, **settings}


def _audit(session: Session, action: str, row: TaskRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="task", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip
