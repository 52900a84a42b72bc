"""Runs over HTTP."""

import time
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Query, Request, Response

from tidemill.accounts.access import Caller
from tidemill.engines.base import Engine
from tidemill.kernel.db import Database
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession, never_replayed
from tidemill.training import files, runs, tensorboard
from tidemill.training.checkpoints import find_newest
from tidemill.training.routes.callers import Reader, RunPath, Writer
from tidemill.training.schemas import RunFilePage, RunState, RunView, TensorboardView
from tidemill.training.views import run_view
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow

router = Router(tags=["training"], prefix="/projects/{project}/runs")

SAVING_MAY_TAKE_S = 3.0
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@router.get("")
def list_runs(
    page: Paging,
    caller: Reader,
    session: ReadSession,
    task: Annotated[str | None, Query(max_length=400, description="Only runs of this task")] = None,
    state: Annotated[RunState | None, Query(description="Only runs in this state")] = None,
) -> Page[RunView]:
    return runs.list_runs(session, page, task=task, state=state, by=caller)


@router.get("/{run}")
def get_run(run: RunPath, caller: Reader, session: ReadSession) -> RunView:
    return run_view(session, runs.get_run(session, run, by=caller), caller.language)


def _without_viewers(run: RunPath, caller: Writer, request: Request) -> Caller:
    """What shows the run is asked to end, in a transaction of its own: that stays when the run cannot go yet."""
    db: Database = request.app.state.db
    with db.write() as session:
        found = runs.find_run(session, run, by=caller)
        if found is not None:
            tensorboard.stop_viewers(session, found.id, by=caller)
    return caller


@router.delete("/{run}", status_code=204)
def delete_run(run: RunPath, caller: Annotated[Caller, Depends(_without_viewers)], session: WriteSession) -> None:
    """Only a run that has ended can be deleted; the model it saved stays."""
    runs.delete_run(session, runs.get_run(session, run, by=caller, lock=True), by=caller)


@router.post("/{run}/stop")
def stop_run(run: RunPath, caller: Writer, session: WriteSession) -> RunView:
    row = runs.get_run(session, run, by=caller, lock=True)
    runs.stop_run(session, row, by=caller)
    return run_view(session, row, caller.language)


def _checkpoint(run: RunPath, caller: Writer, request: Request) -> str | None:
    """Looked for before the transaction begins. While the run goes on there is none to be had."""
    db: Database = request.app.state.db
    with db.read() as session:
        found = runs.get_run(session, run, by=caller)
        carrier = runs.carrier_of(found)
        key = session.get_one(WorkloadRow, carrier).workspace
    if found.state not in FINAL:
        return None
    _until_saved(db, carrier)
    return find_newest(_engine(request).workspace(key))


def _until_saved(db: Database, workload_id: str) -> None:
    """Waits a little for its model to be saved, which mostly is a matter of moments; a large one is refused later."""
    deadline_s = time.monotonic() + SAVING_MAY_TAKE_S
    while time.monotonic() < deadline_s:
        with db.read() as session:
            if not runs.is_saving(session.get_one(WorkloadRow, workload_id)):
                return
        time.sleep(0.05)


@router.post("/{run}/resume", status_code=202)
def resume_run(
    run: RunPath, caller: Writer, checkpoint: Annotated[str | None, Depends(_checkpoint)], session: WriteSession
) -> RunView:
    """The same run goes on, in a new attempt, from its newest whole checkpoint."""
    row = runs.get_run(session, run, by=caller, lock=True)
    runs.resume_run(session, row, resume_from=checkpoint, by=caller)
    return run_view(session, row, caller.language)


@router.post("/{run}/tensorboard", status_code=202)
@never_replayed
def open_run_tensorboard(run: RunPath, caller: Writer, request: Request) -> TensorboardView:
    """Starts TensorBoard over the run's workspace, or finds it; ask again until it is open."""
    db: Database = request.app.state.db
    with db.write() as session:
        row = tensorboard.ensure(session, runs.get_run(session, run, by=caller), by=caller)
    return tensorboard.show(request, row, by=caller)


@router.get("/{run}/files")
def list_run_files(
    run: RunPath,
    page: Paging,
    caller: Reader,
    request: Request,
    path: Annotated[str, Query(max_length=4096, description="A folder of the workspace")] = "",
) -> RunFilePage:
    """What is in the run's workspace now."""
    return files.list_files(_workspace(request, run, caller), path, page)


@router.get("/{run}/files/{path:path}", response_class=Response, responses={200: {"content": _BYTES}})
def download_run_file(run: RunPath, path: str, caller: Reader, request: Request) -> Response:
    """A file of the run's workspace."""
    return files.send_file(_workspace(request, run, caller), path)


def _workspace(request: Request, run: str, caller: Caller) -> Path:
    db: Database = request.app.state.db
    with db.read() as session:
        found = runs.get_run(session, run, by=caller)
        key = session.get_one(WorkloadRow, runs.carrier_of(found)).workspace
    return _engine(request).workspace(key)


def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine
