"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.engines.base import Engine
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.training import launching, tensorboard
from tidemill.training.live import changed_runs
from tidemill.training.metrics.collecting import EVERY_S, Collector
from tidemill.training.routes import metrics, runs, tasks
from tidemill.training.tables import RUNS_TOPIC
from tidemill.training.watching import RunWatcher
from tidemill.workloads.lifecycle import TOPIC
from tidemill.workloads.service import register


def _install(app: FastAPI) -> None:
    def engine() -> Engine:
        found: Engine = app.state.engine
        return found

    app.state.metrics_collector = Collector(app.state.db, engine, app.state.clock)
    app.state.live.join(changed_runs, TOPIC, RUNS_TOPIC)
    register(launching.KIND, RunWatcher(engine))


def _loops(app: FastAPI) -> Sequence[Loop]:
    collector: Collector = app.state.metrics_collector
    idle = tensorboard.Idle(app.state.db, app.state.clock, lambda: app.state.doors_activity)
    return [
        Loop("metrics", collector.collect, every_s=EVERY_S),
        Loop("tensorboard-idle", idle.look, every_s=tensorboard.LOOK_EVERY_S),
    ]


room = Room(name="training", routers=(tasks.router, metrics.router, runs.router), install=_install, loops=_loops)
