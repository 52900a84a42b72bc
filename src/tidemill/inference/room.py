"""What this room gives to the house."""

from collections.abc import Sequence
from functools import partial

from fastapi import FastAPI

from tidemill.assets import uses
from tidemill.inference import links, sweeping
from tidemill.inference.launching import KIND
from tidemill.inference.live import changed_runs
from tidemill.inference.results import writing
from tidemill.inference.routes import inferences, programs, runs
from tidemill.inference.rows import TOPIC
from tidemill.inference.watching import InferenceWatcher
from tidemill.jobs import handlers
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.workloads.lifecycle import register


def _install(app: FastAPI) -> None:
    app.state.live.join(changed_runs, TOPIC)
    register(KIND, InferenceWatcher())
    handlers.register(app, writing.KIND, writing.handler(app))
    uses.register_sources(links.KIND, links.find_sources)


def _loops(app: FastAPI) -> Sequence[Loop]:
    return [Loop("inference-sweep", partial(_sweep, app), every_s=sweeping.EVERY_S)]


def _sweep(app: FastAPI) -> None:
    sweeping.sweep(app.state.db)


room = Room(
    name="inference",
    routers=(inferences.router, runs.router, programs.router),
    install=_install,
    loops=_loops,
)
