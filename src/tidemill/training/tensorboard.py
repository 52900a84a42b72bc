"""TensorBoard over a run's workspace: a workload of its own, reached through the apps origin, gone when unused."""

import importlib.util
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, system_caller
from tidemill.doors.activity import Activity
from tidemill.doors.office import base_path
from tidemill.doors.opening import open_app
from tidemill.engines.base import Engine, EngineError
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.training.schemas import TensorboardView
from tidemill.training.tables import RunRow
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.views import workload_view
from tidemill.workloads.wanted import Wanted

KIND = "tensorboard"
PERMISSION = "training.read"
PORTS = range(20_000, 30_000)
UNUSED_FOR = timedelta(minutes=15)
LOOK_EVERY_S = 30.0
_COMMAND = (
    'cd "$TIDEMILL_WORKSPACE" && exec python -m tensorboard.main --logdir . --host 127.0.0.1 --port "$1"'
    ' --path_prefix "$(printf "$2" "$TIDEMILL_WORKLOAD_ID")" --reload_interval 5'
)
_IMAGE = "tidemill/jupyter"


def ensure(session: Session, run: RunRow, *, by: Caller) -> WorkloadRow:
    """The run's TensorBoard, started when there is none."""
    found = None
    for row in _viewers(session, run.id):
        if row.state not in FINAL and row.state != "stopping":
            found = row
        elif row.state in FINAL:
            workloads.delete(session, row.id, by=by)
    return found or workloads.submit(session, _wanted(session, run), by=by)


def show(request: Request, row: WorkloadRow, *, by: Caller) -> TensorboardView:
    """Where it is: `open` once it listens."""
    db: Database = request.app.state.db
    with db.read() as session:
        view = workload_view(session, row, by.language)
    port = int(row.ports[0])
    if row.state != "running" or not _listens(request.app.state.engine, row.attempt_id, port):
        return TensorboardView(state="starting", url=None, workload=view)
    url = open_app(request, workload_id=row.id, port=port, permission=PERMISSION, by=by)
    return TensorboardView(state="open", url=url, workload=view)


def stop_viewers(session: Session, run_id: str, *, by: Caller) -> None:
    """Asks the run's TensorBoard to end."""
    for row in _viewers(session, run_id):
        if row.state not in FINAL:
            workloads.stop(session, row.id, by=by)


class Idle:
    """Ends those that nobody looked at for a while."""

    def __init__(self, db: Database, clock: Clock, activity: Callable[[], Activity]) -> None:
        self._db = db
        self._clock = clock
        self._activity = activity

    def look(self) -> None:
        now = self._clock()
        with self._db.read() as session:
            running = session.scalars(
                sa.select(WorkloadRow).where(WorkloadRow.kind == KIND, WorkloadRow.state == "running")
            ).all()
        unused = [row.id for row in running if self._is_unused(row, now)]
        if not unused:
            return
        with self._db.write() as session:
            for workload_id in unused:
                workloads.stop(session, workload_id, reason="idle", by=system_caller(now))

    def _is_unused(self, row: WorkloadRow, now: datetime) -> bool:
        activity = self._activity()
        if activity.open_now(row.id):
            return False
        last = activity.last_left_at(row.id) or row.started_at or row.created_at
        return now - last > UNUSED_FOR


def _viewers(session: Session, run_id: str) -> list[WorkloadRow]:
    return list(
        session.scalars(
            sa.select(WorkloadRow).where(
                WorkloadRow.owner_id == run_id, WorkloadRow.kind == KIND, WorkloadRow.deleted_at.is_(None)
            )
        )
    )


def _wanted(session: Session, run: RunRow) -> Wanted:
    port = secrets.choice(PORTS)
    prefix = base_path("%s", 0, port).rstrip("/")
    return Wanted(
        kind=KIND,
        owner_id=run.id,
        name=run.name,
        command=("sh", "-c", _COMMAND, "tidemill", str(port), prefix),
        image=_image(),
        workspace=session.get_one(WorkloadRow, run.workload_id).workspace,
        priority="high",
        ports=(port,),
    )


def _image() -> str | None:
    """The platform's own Python where it has TensorBoard: then nothing has to be made first."""
    return None if importlib.util.find_spec("tensorboard") else _IMAGE


def _listens(engine: Engine, launch: str | None, port: int) -> bool:
    try:
        return launch is not None and bool(engine.address(launch, 0, port))
    except EngineError:
        return False
