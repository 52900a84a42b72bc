"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.jobs import handlers
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.models import facts, routes
from tidemill.models.auto import accepting
from tidemill.models.auto import routes as auto
from tidemill.models.builtin import BuiltinAlgorithms
from tidemill.models.catalogue import installing
from tidemill.models.catalogue import routes as catalogue
from tidemill.models.evaluations import routes as evaluations
from tidemill.models.evaluations.live import changed_evaluations
from tidemill.models.evaluations.rows import TOPIC
from tidemill.models.evaluations.service import KIND
from tidemill.models.evaluations.watching import EvaluationWatcher
from tidemill.models.facts import FactsReader
from tidemill.models.loop import rounds
from tidemill.models.loop import routes as loop
from tidemill.models.loop.rounds import Rounds
from tidemill.models.training import routes as training
from tidemill.workloads.lifecycle import register

BUILTIN_EVERY_S = 60.0


def _install(app: FastAPI) -> None:
    app.state.facts = FactsReader(app.state.db, app.state.store.backend)
    app.state.live.join(changed_evaluations, TOPIC)
    register(KIND, EvaluationWatcher())
    handlers.register(app, accepting.KIND, accepting.handler(app))
    handlers.register(app, installing.KIND, installing.handler(app))


def _loops(app: FastAPI) -> Sequence[Loop]:
    builtin = BuiltinAlgorithms(app)
    going = Rounds(app)
    return [
        Loop("builtin-algorithms", builtin.look, every_s=BUILTIN_EVERY_S),
        Loop("model-facts", app.state.facts.look, every_s=facts.EVERY_S),
        Loop("loop-rounds", going.look, every_s=rounds.EVERY_S),
    ]


room = Room(
    name="models",
    routers=(
        routes.router,
        training.router,
        evaluations.router,
        evaluations.works,
        auto.router,
        auto.programs,
        catalogue.router,
        loop.router,
    ),
    install=_install,
    loops=_loops,
)
