"""What this room gives to the house. Collection and verification are run as background work by `jobs`."""

from fastapi import FastAPI

from tidemill.kernel.rooms import Room
from tidemill.store.depot import open_store


def _install(app: FastAPI) -> None:
    app.state.store = open_store(app.state.settings)


room = Room(name="store", install=_install)
