"""What this room gives to the house."""

import time
from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.jobs import routes, system, tidy, upkeep
from tidemill.jobs.handlers import Handlers
from tidemill.jobs.live import Live
from tidemill.jobs.runner import BEAT_EVERY_S, WORKERS, Runner
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room


def _install(app: FastAPI) -> None:
    app.state.started_s = time.monotonic()
    app.state.job_handlers = Handlers()
    upkeep.install(app)
    app.state.live = Live(app.state.db, app.state.clock, app.state.stopping)


def _loops(app: FastAPI) -> Sequence[Loop]:
    runner = Runner(app)
    workers = [Loop(f"jobs-{n + 1}", runner.work, every_s=0, stop=runner.close) for n in range(WORKERS)]
    return [
        *workers,
        Loop("jobs-watch", runner.watch, every_s=BEAT_EVERY_S),
        Loop("jobs-tidy", lambda: tidy.forget_old(app.state.db, app.state.clock()), every_s=3600),
        Loop("jobs-upkeep", lambda: upkeep.collect_when_due(app), every_s=3600),
    ]


room = Room(name="jobs", routers=(routes.router, system.router), install=_install, loops=_loops)
