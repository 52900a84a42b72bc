"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.builds import routes, service
from tidemill.builds.users import WorkloadUsers
from tidemill.jobs.handlers import register as register_job
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.workloads.lifecycle import register as register_watcher

LOOK_EVERY_S = 2


def _install(app: FastAPI) -> None:
    register_watcher(service.KIND, service.BuildWatcher())
    register_job(app, service.JOB, service.finish)
    app.state.images.users.append(WorkloadUsers())


def _loops(app: FastAPI) -> Sequence[Loop]:
    return [Loop("builds", lambda: service.look_after(app), every_s=LOOK_EVERY_S)]


room = Room(name="builds", routers=(routes.router,), install=_install, loops=_loops)
