"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.assets import uses
from tidemill.assets.tickets import load_key
from tidemill.gateway import publishing
from tidemill.gateway.control import Control
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.serving import alerts, keeping, lineage, sweeping
from tidemill.serving.events import TOPIC
from tidemill.serving.internal import InternalKeys
from tidemill.serving.keeping import GatewayKeeping
from tidemill.serving.live import changed_services
from tidemill.serving.metrics import collecting
from tidemill.serving.metrics.collecting import Collector
from tidemill.serving.reconciling.reconciler import Reconciler, ReplicaWatcher
from tidemill.serving.reconciling.starting import KIND
from tidemill.serving.routes import keys, services, trying, watching
from tidemill.workloads.lifecycle import register

SWEEP_EVERY_S = 600.0


def _install(app: FastAPI) -> None:
    app.state.service_keys = InternalKeys(load_key(app.state.settings.home))
    app.state.live.join(changed_services(app), TOPIC)
    control = Control(app.state.settings.home / "gateway")
    app.state.db.listen(publishing.TOPIC, lambda: _tell(control))
    register(KIND, ReplicaWatcher())
    uses.register(lineage.KIND, lineage.find_uses)


def _tell(gateway: Control) -> None:
    """When this returns, a gateway that runs serves the newest table."""
    gateway.nudge()


def _loops(app: FastAPI) -> Sequence[Loop]:
    reconciler = Reconciler(app, app.state.service_keys)
    gateway = GatewayKeeping(app, reconciler)
    collector = Collector(app)
    return [
        Loop("services", reconciler.turn, every_s=0, stop=reconciler.close),
        Loop("services-gateway", gateway.turn, every_s=keeping.EVERY_S),
        Loop("services-metrics", collector.turn, every_s=collecting.EVERY_S, stop=collector.close),
        Loop("services-alerts", lambda: alerts.look(app), every_s=alerts.EVERY_S),
        Loop(
            "services-sweep",
            lambda: sweeping.remove_old_replicas(app.state.db, app.state.clock()),
            every_s=SWEEP_EVERY_S,
        ),
    ]


room = Room(
    name="serving",
    routers=(watching.router, services.router, services.models, keys.router, trying.router),
    install=_install,
    loops=_loops,
)
