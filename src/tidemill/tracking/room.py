"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.tracking import routes
from tidemill.tracking.tidying import EVERY_S, Tidying, clear_project
from tidemill.tracking.wire import artifacts, doorway, experiments, logging, models, registry, registry_search, runs
from tidemill.tracking.wire.calls import router

assert all(
    (artifacts, experiments, logging, models, registry, registry_search, runs)
)  # each declares its endpoints when loaded


def _install(app: FastAPI) -> None:
    doorway.install(app)
    app.state.project_clearers.append(lambda project_id: clear_project(app.state.db, project_id))


def _loops(app: FastAPI) -> Sequence[Loop]:
    tidying = Tidying(app.state.db, bin_days=app.state.settings.bin_days)
    return [Loop("tracking", lambda: tidying.purge(app.state.clock()), every_s=EVERY_S)]


room = Room(name="tracking", routers=(routes.router, router), install=_install, loops=_loops)
