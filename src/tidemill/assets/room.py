"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.assets import emptying, git_import
from tidemill.assets.routes import assets, bin, files, search, versions
from tidemill.assets.tickets import TicketOffice, load_key
from tidemill.jobs.handlers import register
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room

DUE_EVERY_S = 300


def _install(app: FastAPI) -> None:
    app.state.project_clearers = []
    app.state.tickets = TicketOffice(load_key(app.state.settings.home))
    register(app, git_import.KIND, git_import.handler(app))
    register(app, emptying.KIND, emptying.handler(app))


def _loops(app: FastAPI) -> Sequence[Loop]:
    state = app.state

    def empty_bins() -> None:
        emptying.do_what_is_due(state.db, state.settings, state.clock(), state.project_clearers)

    return [Loop("assets-bin", empty_bins, DUE_EVERY_S)]


room = Room(
    name="assets",
    routers=[assets.router, assets.plain, versions.router, versions.plain, files.router, bin.router, search.router],
    install=_install,
    loops=_loops,
)
