"""What this room gives to the house."""

from collections.abc import Sequence
from functools import partial

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.monitor import keeping, routes
from tidemill.monitor.tables import UsageMinuteRow

LOOK_EVERY_S = 15
TIDY_EVERY_S = 3600


def _install(app: FastAPI) -> None:
    app.state.project_clearers.append(partial(_clear_project, app))


def _clear_project(app: FastAPI, project_id: str) -> None:
    with app.state.db.write() as session:
        session.execute(sa.delete(UsageMinuteRow).where(UsageMinuteRow.scope == project_id))


def _loops(app: FastAPI) -> Sequence[Loop]:
    state = app.state
    return [
        Loop("monitor-look", lambda: keeping.look(state.db, state.clock()), LOOK_EVERY_S),
        Loop("monitor-tidy", lambda: keeping.forget_old(state.db, state.clock()), TIDY_EVERY_S),
    ]


room = Room(name="monitor", routers=(routes.router,), install=_install, loops=_loops)
