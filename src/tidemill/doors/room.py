"""What this room gives to the house."""

from fastapi import FastAPI

from tidemill.assets.tickets import load_key
from tidemill.doors.activity import Activity
from tidemill.doors.office import Office
from tidemill.doors.rights import Rights
from tidemill.kernel.rooms import Room


def _install(app: FastAPI) -> None:
    app.state.doors_office = Office(load_key(app.state.settings.home))
    app.state.doors_rights = Rights(app.state.db, app.state.clock)
    app.state.doors_activity = Activity(lambda: app.state.clock())


room = Room(name="doors", install=_install)
