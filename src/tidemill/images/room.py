"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.assets.tickets import load_key
from tidemill.images import builtin, importing, routes
from tidemill.images.depot import Images
from tidemill.images.environments import Environments
from tidemill.images.registry.routes import router as registry
from tidemill.images.tidy import tidy
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room

TIDY_EVERY_S = 3600


def _install(app: FastAPI) -> None:
    state = app.state
    environments = Environments(state.settings.environments_folder or state.settings.home / "environments")
    state.images = Images(
        state.db, state.store, environments, state.settings, state.clock, registry_key=load_key(state.settings.home)
    )
    app.include_router(registry)
    importing.install(app)


def _loops(app: FastAPI) -> Sequence[Loop]:
    return [Loop("images-tidy", lambda: tidy(app.state.images), every_s=TIDY_EVERY_S)]


room = Room(name="images", routers=(routes.router,), install=_install, loops=_loops, first_start=builtin.first_start)
