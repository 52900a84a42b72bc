"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.hooks import outbox, routes
from tidemill.hooks.delivery import WORKERS, Deliverer, forget_old
from tidemill.hooks.sending import Sender
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room


def _install(app: FastAPI) -> None:
    outbox.install()
    sender = Sender(app.state.settings.outbound_allow)
    app.state.webhook_deliverer = Deliverer(app.state.db, app.state.clock, sender)


def _loops(app: FastAPI) -> Sequence[Loop]:
    deliverer: Deliverer = app.state.webhook_deliverer
    workers = [Loop(f"webhooks-{n + 1}", deliverer.work, every_s=0, stop=deliverer.close) for n in range(WORKERS)]
    return [*workers, Loop("webhooks-tidy", lambda: forget_old(app.state.db, app.state.clock()), every_s=3600)]


room = Room(name="hooks", routers=(routes.router,), install=_install, loops=_loops)
