"""What this room gives to the house."""

import threading
from collections.abc import Sequence
from functools import partial

from fastapi import FastAPI

from tidemill.accounts.access import system_caller
from tidemill.assets.tickets import load_key
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.workloads import capacity, materials, specs, tidy
from tidemill.workloads.conductor import Conductor
from tidemill.workloads.following import Readers
from tidemill.workloads.lifecycle import TOPIC
from tidemill.workloads.live import changed_workloads
from tidemill.workloads.opening import open_engine
from tidemill.workloads.outputs import Collector
from tidemill.workloads.routes import output, workloads
from tidemill.workloads.routes import specs as spec_routes
from tidemill.workloads.secrets import TokenMint


def _install(app: FastAPI) -> None:
    app.state.engine = open_engine(app.state.settings, app.state.store)
    app.state.log_readers = Readers()
    app.state.live.join(changed_workloads, TOPIC)
    app.state.project_clearers.append(partial(_clear_project, app))


def _clear_project(app: FastAPI, project_id: str) -> None:
    tidy.clear_project(app.state.db, app.state.engine, project_id)


def _first_start(app: FastAPI) -> None:
    """Machines are known, and specs that suit them are there, before anybody can ask for anything."""
    machines, now = app.state.engine.machines(), app.state.clock()
    with app.state.db.write() as session:
        capacity.write_machines(session, machines, now)
        session.flush()
        specs.make_default_specs(session, by=system_caller(now))


def _loops(app: FastAPI) -> Sequence[Loop]:
    state = app.state
    conductor = Conductor(app, state.engine, TokenMint(load_key(state.settings.home)))
    collector = Collector(state.db, state.store, state.engine)
    after = _Afterwards(app, collector)
    return [
        Loop("workloads", conductor.turn, every_s=0, stop=conductor.close),
        Loop("workloads-afterwards", after.turn, every_s=_Afterwards.REST_S, stop=after.close),
        Loop("workloads-tidy", partial(_tidy, app), every_s=3600, stop=state.engine.close),
    ]


def _tidy(app: FastAPI) -> None:
    state, now = app.state, app.state.clock()
    tidy.forget_old_logs(state.db, state.engine, now, state.settings.workload_days)
    materials.drop_unused(state.db, state.engine, now)


class _Afterwards:
    """What follows the end of a workload: outputs are collected, deleted ones are removed. Woken by changes."""

    EVERY_S = 5.0
    REST_S = 0.2
    """The least time between two turns: what ends meanwhile is dealt with in one go."""

    def __init__(self, app: FastAPI, collector: Collector) -> None:
        self._state = app.state
        self._collector = collector
        self._wake = threading.Event()
        self._is_closed = False
        self._state.db.listen(TOPIC, self._wake.set)

    def turn(self) -> None:
        self._wake.wait(self.EVERY_S)
        self._wake.clear()
        if self._is_closed:
            return
        state, now = self._state, self._state.clock()
        tidy.stop_in_deleted_projects(state.db, now)
        self._collector.collect_all(now)
        tidy.remove_deleted(state.db, state.engine)

    def close(self) -> None:
        self._is_closed = True
        self._wake.set()


room = Room(
    name="workloads",
    routers=[module.router for module in (workloads, output, spec_routes)],
    install=_install,
    loops=_loops,
    first_start=_first_start,
)
