"""What this room gives to the house."""

from collections.abc import Sequence
from functools import partial

from fastapi import FastAPI

from tidemill.devenv import idle, saving, sweeping, terminal
from tidemill.devenv.routes import environments, ssh_keys
from tidemill.devenv.ssh.gateway import Gateway
from tidemill.devenv.terminal import Terminals
from tidemill.jobs.handlers import register as register_job
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room

SWEEP_EVERY_S = 5.0


def _install(app: FastAPI) -> None:
    app.state.terminals = Terminals()
    app.state.ssh_gateway = Gateway(app)
    register_job(app, saving.JOB, saving.finish)
    app.state.project_clearers.append(partial(sweeping.clear_project, app))


def _loops(app: FastAPI) -> Sequence[Loop]:
    gateway: Gateway = app.state.ssh_gateway
    return [
        Loop("environments-idle", lambda: idle.look(app), every_s=idle.LOOK_EVERY_S),
        Loop("environments-sweep", lambda: sweeping.sweep(app), every_s=SWEEP_EVERY_S),
        Loop("environments-images", lambda: saving.give_up_lost(app), every_s=SWEEP_EVERY_S),
        *([Loop("ssh-gateway", gateway.run, every_s=5, stop=gateway.close)] if gateway.listeners else []),
    ]


room = Room(
    name="devenv",
    routers=(environments.router, ssh_keys.router, terminal.router),
    install=_install,
    loops=_loops,
)
