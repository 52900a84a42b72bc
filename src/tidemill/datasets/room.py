"""What this room gives to the house."""

from collections.abc import Sequence
from functools import partial

from fastapi import FastAPI

from tidemill.assets import extras
from tidemill.assets.kinds import DATASET
from tidemill.datasets import choosing, copying, published, publishing, sweeping
from tidemill.datasets.live import TOPIC, changed_versions
from tidemill.datasets.routes import datasets, items, label_sets, labels
from tidemill.datasets.thumbnails.studio import Studio
from tidemill.datasets.works import room as works
from tidemill.jobs.handlers import register
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room

SWEEP_EVERY_S = 30.0
TIDY_EVERY_S = 6 * 3600.0


def _install(app: FastAPI) -> None:
    for work in (choosing, copying, publishing):
        register(app, work.KIND, work.handler(app))
    extras.register(DATASET, published.find_files)
    app.state.live.join(changed_versions, TOPIC)
    app.state.thumbnails = Studio(app.state.store, app.state.settings.store_folder / "cache" / "thumbnails")
    app.state.project_clearers.append(partial(sweeping.clear_project, app.state.db))
    works.install(app)


def _loops(app: FastAPI) -> Sequence[Loop]:
    def sweep() -> None:
        sweeping.sweep(app.state.db, app.state.clock())

    studio: Studio = app.state.thumbnails
    return [
        Loop("datasets-sweep", sweep, every_s=SWEEP_EVERY_S),
        Loop("thumbnails", studio.tidy, every_s=TIDY_EVERY_S, stop=studio.close),
        *works.loops(app),
    ]


room = Room(
    name="datasets",
    routers=[*(module.router for module in (datasets, labels, label_sets, items)), *works.ROUTERS],
    install=_install,
    loops=_loops,
)
