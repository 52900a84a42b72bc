"""What this room gives to the house."""

from fastapi import FastAPI

from tidemill.assets.tickets import load_key
from tidemill.images import builtin, routes
from tidemill.images.depot import Images
from tidemill.images.environments import Environments
from tidemill.images.registry.routes import router as registry
from tidemill.kernel.rooms import Room


def _install(app: FastAPI) -> None:
    state = app.state
    environments = Environments(state.settings.home / "environments")
    state.images = Images(
        state.db, state.store, environments, state.settings, state.clock, registry_key=load_key(state.settings.home)
    )
    app.include_router(registry)


room = Room(name="images", routers=(routes.router,), install=_install, first_start=builtin.first_start)
