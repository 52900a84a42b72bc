"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.accounts.cleaning import sweep
from tidemill.accounts.first_start import first_start
from tidemill.accounts.passwords import Passwords
from tidemill.accounts.routes import audit, groups, me, members, projects, roles, session, users
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room

SWEEP_EVERY_S = 600


def _install(app: FastAPI) -> None:
    app.state.passwords = Passwords(app.state.settings)
    app.state.first_admin_password = None


def _loops(app: FastAPI) -> Sequence[Loop]:
    state = app.state
    return [Loop("accounts-sweep", lambda: sweep(state.db, state.settings, state.clock()), SWEEP_EVERY_S)]


room = Room(
    name="accounts",
    routers=[module.router for module in (session, me, users, groups, roles, projects, members, audit)],
    install=_install,
    loops=_loops,
    first_start=first_start,
)
