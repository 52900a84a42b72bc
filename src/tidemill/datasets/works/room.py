"""What works give to the house: routes, watchers, news and the loop that forgets."""

from collections.abc import Sequence

from fastapi import APIRouter, FastAPI

from tidemill.datasets.exporting import routes as exporting
from tidemill.datasets.exporting.service import forget_old
from tidemill.datasets.importing import formats_routes
from tidemill.datasets.importing import routes as importing
from tidemill.datasets.preprocessing import routes as preprocessing
from tidemill.datasets.works import routes as working
from tidemill.datasets.works.live import changed_works
from tidemill.datasets.works.service import TOPIC, release_trials
from tidemill.datasets.works.states import WORKLOAD_KINDS
from tidemill.datasets.works.watching import WorkWatcher
from tidemill.kernel.loops import Loop
from tidemill.workloads.lifecycle import register

FORGET_EVERY_S = 3600

ROUTERS: Sequence[APIRouter] = (
    importing.router,
    importing.folders,
    formats_routes.router,
    exporting.router,
    preprocessing.router,
    working.router,
)


def install(app: FastAPI) -> None:
    for kind in WORKLOAD_KINDS.values():
        register(kind, WorkWatcher(app.state.settings.bin_days))
    app.state.live.join(changed_works, TOPIC)


def loops(app: FastAPI) -> Sequence[Loop]:
    state = app.state
    return [
        Loop(
            "dataset-works",
            lambda: forget_old(state.db, state.clock(), state.settings.export_days),
            every_s=FORGET_EVERY_S,
        ),
        Loop("dataset-trials", lambda: release_trials(state.db, state.clock()), every_s=FORGET_EVERY_S),
    ]
