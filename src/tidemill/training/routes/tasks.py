"""Training tasks over HTTP."""

from typing import Annotated

from fastapi import Body, Query

from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.training import runs, tasks
from tidemill.training.routes.callers import Reader, TaskPath, Writer
from tidemill.training.schemas import RunState, RunView, TaskCopy, TaskCreate, TaskPatch, TaskStart, TaskView
from tidemill.training.views import run_view

router = Router(tags=["training"], prefix="/projects/{project}/tasks")


@router.get("")
def list_tasks(
    page: Paging,
    caller: Reader,
    session: ReadSession,
    mine: Annotated[bool, Query(description="Only those the caller made")] = False,
) -> Page[TaskView]:
    return tasks.list_tasks(session, page, mine=mine, by=caller)


@router.post("", status_code=201)
def create_task(body: TaskCreate, caller: Writer, session: WriteSession) -> TaskView:
    return tasks.task_view(session, tasks.create_task(session, body, by=caller))


@router.get("/{task}")
def get_task(task: TaskPath, caller: Reader, session: ReadSession) -> TaskView:
    return tasks.task_view(session, tasks.get_task(session, task, by=caller))


@router.patch("/{task}")
def update_task(task: TaskPath, body: TaskPatch, caller: Writer, session: WriteSession) -> TaskView:
    row = tasks.get_task(session, task, by=caller, lock=True)
    tasks.update_task(session, row, body, by=caller)
    return tasks.task_view(session, row)


@router.delete("/{task}", status_code=204)
def delete_task(task: TaskPath, caller: Writer, session: WriteSession) -> None:
    """Only a task without runs can be deleted."""
    row = tasks.get_task(session, task, by=caller, lock=True)
    if not row.runs_count:
        runs.delete_put_away(session, row, by=caller)
    tasks.delete_task(session, row, by=caller)


@router.post("/{task}/copy", status_code=201)
def copy_task(task: TaskPath, body: TaskCopy, caller: Writer, session: WriteSession) -> TaskView:
    return tasks.task_view(session, tasks.copy_task(session, tasks.get_task(session, task, by=caller), body, by=caller))


@router.post("/{task}/start", status_code=202)
def start_task(
    task: TaskPath, caller: Writer, session: WriteSession, body: Annotated[TaskStart | None, Body()] = None
) -> RunView:
    """A new run, which waits until there is room for it."""
    row = tasks.get_task(session, task, by=caller, lock=True)
    return run_view(session, runs.start_task(session, row, body or TaskStart(), by=caller), caller.language)


@router.get("/{task}/runs")
def list_task_runs(
    task: TaskPath,
    page: Paging,
    caller: Reader,
    session: ReadSession,
    state: Annotated[RunState | None, Query(description="Only runs in this state")] = None,
) -> Page[RunView]:
    return runs.list_runs(session, page, task=task, state=state, by=caller)
