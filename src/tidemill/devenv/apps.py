"""Opening what runs in an environment: JupyterLab, TensorBoard, and any port somebody listens on."""

import contextlib
import logging
import secrets
from typing import Literal

from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.devenv.jupyter import NONE, PORTS, find_port
from tidemill.devenv.schemas import OpenedView
from tidemill.devenv.starting import workspace_key
from tidemill.devenv.tables import EnvironmentRow
from tidemill.doors.office import base_path
from tidemill.doors.opening import open_app
from tidemill.doors.rights import Running, find_running
from tidemill.engines.base import Engine, EngineError
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid

log = logging.getLogger("tidemill.devenv")

App = Literal["jupyter", "tensorboard", "port"]
PERMISSION = "environment.write"
# Detached from the program we start it with, so that it stays when that is over; started once, however often it is
# asked for while it is on its way.
_TENSORBOARD = """
command -v tensorboard >/dev/null 2>&1 || exit 127
mark="$HOME/.tidemill-tensorboard-$TIDEMILL_WORKLOAD_ID"
[ -e "$mark" ] && kill -0 "$(cat "$mark")" 2>/dev/null && exit 0
cd "$TIDEMILL_WORKSPACE" || exit 1
setsid nohup tensorboard --logdir . --host 127.0.0.1 --port "$1" --path_prefix "$2" >"$mark.log" 2>&1 </dev/null &
echo $! >"$mark"
"""


def open_environment(
    request: Request, row: EnvironmentRow, *, app: App, port: int | None, node: int, by: Caller
) -> OpenedView:
    """An address for the browser. What is not listening yet is `starting`: the page it opens waits for it."""
    running = get_running(request.app.state.db, row)
    if node >= running.nodes:
        raise Invalid("environment_node", field="node", nodes=running.nodes)
    token_of = None
    if app == "jupyter":
        port, node, token_of = _jupyter_port(request.app.state.engine, row, running), 0, row.id
    elif app == "tensorboard":
        port, node = ensure_tensorboard(request.app.state.db, request.app.state.engine, row, running), 0
    elif port is None:
        raise Invalid("environment_port_missing", field="port")
    url = open_app(
        request,
        workload_id=running.workload_id,
        node=node,
        port=port,
        permission=PERMISSION,
        by=by,
        token_of=token_of,
    )
    return OpenedView(url=url, state="open" if _listens(request.app.state.engine, running, node, port) else "starting")


def get_running(db: Database, row: EnvironmentRow) -> Running:
    """The environment's workload, when it runs; raises Conflict otherwise."""
    with db.read() as session:
        running = find_running(session, row.workload_id) if row.workload_id else None
    if running is None:
        raise Conflict("environment_not_running")
    return running


def _jupyter_port(engine: Engine, row: EnvironmentRow, running: Running) -> int:
    """Where it is, or will be as far as we know."""
    said = find_port(engine, workspace_key(row.id), running.workload_id)
    if said == NONE:
        raise Conflict("environment_no_jupyter", image=row.image)
    return said or row.port


def ensure_tensorboard(db: Database, engine: Engine, row: EnvironmentRow, running: Running) -> int:
    """The port of the environment's TensorBoard, over all of its workspace; started when it does not run."""
    if row.tensorboard_port is not None and _listens(engine, running, 0, row.tensorboard_port):
        return row.tensorboard_port
    with db.write() as session:
        port = row.tensorboard_port or _note_port(session, row)
    prefix = base_path(running.workload_id, 0, port).rstrip("/")
    argv = ("/bin/sh", "-c", _TENSORBOARD, "sh", str(port), prefix)
    try:
        shell = engine.exec(running.launch_id, 0, argv, environment={}, terminal=None)
    except EngineError as error:
        raise Conflict("environment_program", message=str(error)) from None
    with contextlib.closing(shell):
        code = shell.wait()
    if code == 127:
        raise Conflict("environment_no_tensorboard", image=row.image)
    return port


def _note_port(session: Session, row: EnvironmentRow) -> int:
    fresh = session.get_one(EnvironmentRow, row.id, with_for_update=True, populate_existing=True)
    if fresh.tensorboard_port is None:
        fresh.tensorboard_port = secrets.choice(PORTS)
    return fresh.tensorboard_port


def _listens(engine: Engine, running: Running, node: int, port: int) -> bool:
    try:
        engine.address(running.launch_id, node, port)
    except EngineError:
        return False
    return True
