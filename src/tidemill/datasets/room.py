"""What this room gives to the house."""

from fastapi import FastAPI

from tidemill.datasets import choosing
from tidemill.datasets.routes import datasets, items, labels
from tidemill.datasets.works import room as works
from tidemill.jobs.handlers import register
from tidemill.kernel.rooms import Room


def _install(app: FastAPI) -> None:
    register(app, choosing.KIND, choosing.handler(app))
    works.install(app)


room = Room(
    name="datasets",
    routers=[*(module.router for module in (datasets, labels, items)), *works.ROUTERS],
    install=_install,
    loops=works.loops,
)
