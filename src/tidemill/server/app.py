"""The application: rooms' routers gathered, services made, loops started, web files served."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

from fastapi import APIRouter, FastAPI

from tidemill import __version__
from tidemill.kernel import web
from tidemill.kernel.checkpoints import LOOK_EVERY_S, Checkpoints
from tidemill.kernel.clock import Clock, utc_now
from tidemill.kernel.db import Database
from tidemill.kernel.loops import Loop, LoopRunner
from tidemill.kernel.settings import Settings
from tidemill.server import meta, rooms, site
from tidemill.server.description import describe

API = "/api/v1"


def create_app(settings: Settings, *, clock: Clock = utc_now, db: Database | None = None) -> FastAPI:
    """The web and API application. Starting it starts the background loops, unless settings say otherwise."""
    app = FastAPI(
        title="Tidemill",
        version=__version__,
        lifespan=_lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.clock = clock
    app.state.stopping = threading.Event()
    """Set when we are told to stop: streams that would go on for ever end themselves."""
    app.state.db = db or Database(settings.effective_database_url)
    web.install(app)
    for room in rooms.ROOMS:
        room.install(app)
    app.router.routes.extend(_gathered().routes)
    site.install(app)
    describe(app)
    return app


@cache
def _gathered() -> APIRouter:
    """All rooms' routes, put together once a process: for each application again it would be most of its start."""
    router = APIRouter()
    # Routes are tried one after the other: those that are called many times a second come first.
    in_order = sorted(rooms.ROOMS, key=lambda room: not room.is_busy)
    for one in (*(router for room in in_order for router in room.routers), meta.router):
        router.include_router(one, prefix=API)
    return router


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    loops: list[Loop] = [*_upkeep(app.state.db), *(loop for room in rooms.ROOMS for loop in room.loops(app))]
    runner = LoopRunner(loops if app.state.settings.background else [])
    runner.start()
    yield
    app.state.stopping.set()
    runner.stop()
    app.state.db.close()


def _upkeep(db: Database) -> list[Loop]:
    """What a database needs done that its own server does not do by itself."""
    if not db.is_sqlite:
        return []
    checkpoints = Checkpoints(db)
    return [Loop("checkpoints", checkpoints.turn, every_s=LOOK_EVERY_S, stop=checkpoints.close)]
