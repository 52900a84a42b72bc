"""What keeps services going: looks at rows, workloads, replicas and the gateway, decides, does, and publishes.

One thread, woken by every change of a service or of a replica's workload, and every second all the same: whatever was
missed while it was away is found by comparing.
"""

import logging
import threading
import time
from collections.abc import Sequence

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.engines.base import Engine, EngineError
from tidemill.gateway.control import Control
from tidemill.gateway.schemas import RoutingTable
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database, announce
from tidemill.kernel.errors import TidemillError
from tidemill.packages.running import PackageLaunch, launch_of
from tidemill.serving import routing
from tidemill.serving.events import TOPIC
from tidemill.serving.internal import InternalKeys
from tidemill.serving.lookup import platform_caller
from tidemill.serving.ports import parse_range
from tidemill.serving.reconciling.applying import Hands, apply
from tidemill.serving.reconciling.decide import Action, Move, decide
from tidemill.serving.reconciling.health import Prober, Question
from tidemill.serving.reconciling.loading import Loaded, load
from tidemill.serving.reconciling.seen import GatewaySeen, Limits
from tidemill.serving.states import LIVE
from tidemill.serving.sweeping import remove_gone
from tidemill.serving.tables import ReplicaRow
from tidemill.workloads.lifecycle import Moved
from tidemill.workloads.tables import WorkloadRow

log = logging.getLogger("tidemill.services")

LOOK_EVERY_S = 1.0
MOVING_EVERY_S = 0.2
"""While replicas come or go."""
HEALTH_EVERY_S = 5.0
"""How often those that are ready are asked."""
LAST_BYTES = 1500
LAST_LINES = 8


class ReplicaWatcher:
    """Told of every move of replicas' workloads."""

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        del workload, event
        announce(session, TOPIC)


class Reconciler:
    """See the module's text."""

    def __init__(self, app: FastAPI, internal: InternalKeys) -> None:
        self._app = app
        self._db: Database = app.state.db
        self._clock: Clock = app.state.clock
        settings = app.state.settings
        self._ports = parse_range(settings.replica_ports)
        self._limits = Limits(ready_s=settings.replica_ready_s, drain_s=settings.replica_drain_s)
        self._internal = internal
        self._control = Control(settings.home / "gateway")
        self._prober = Prober()
        self._launches: dict[str, PackageLaunch] = {}
        self._asked_at_s: dict[str, float] = {}
        self._settled: dict[str, tuple[int, int]] = {}
        self._published: RoutingTable | None = None
        self._revision = 0
        self._confirmed = 0
        self._routed: frozenset[str] = frozenset()
        """Replicas of the newest table that the gateway is known to have read."""
        self._wake = threading.Event()
        self._is_closed = False
        self._is_moving = False
        self.gateway_problem: str | None = None
        """Why the gateway cannot be started, as its keeper found."""
        self._db.listen(TOPIC, self._wake.set)

    def turn(self) -> None:
        """Waits until there may be something to do, and does it."""
        self._wake.wait(MOVING_EVERY_S if self._is_moving else LOOK_EVERY_S)
        self._wake.clear()
        if not self._is_closed:
            self.do_what_is_due()

    def do_what_is_due(self) -> None:
        """One look at everything."""
        with self._db.read() as session:
            loaded = load(session)
            launches = self._find_launches(session, loaded)
        if not loaded and self._published is None:
            return
        answers = self._prober.ask(self._engine, self._questions(loaded, launches))
        health = {replica_id: answer.is_well for replica_id, answer in answers.items()}
        gateway = self._look_at_gateway(loaded)
        now = self._clock()
        self._is_moving = False
        for one in loaded:
            seen = one.seen(health)
            actions = decide(seen, gateway, now, self._limits)
            self._is_moving |= bool(actions) or any(r.state not in {"ready", "waiting"} for r in seen.replicas)
            if actions or self._is_unsettled(one):
                lines = self._last_lines(one, actions)
                hands = Hands(self._ports, self._limits, answers, lines, self.gateway_problem, self._routed)
                with self._db.write() as session:
                    apply(session, one.row.id, seen.asked, actions, hands, now)
                self._settled[one.row.id] = (one.row.asked, int(time.monotonic()) // 5)
        self._publish()
        self._confirm()
        if any(one.row.deleted_at is not None and not one.replicas for one in loaded):
            remove_gone(self._db, now)

    def close(self) -> None:
        """Ends the turn under way soon. What runs goes on running."""
        self._is_closed = True
        self._wake.set()
        self._prober.close()

    @property
    def _engine(self) -> Engine:
        found: Engine = self._app.state.engine
        return found

    def _is_unsettled(self, loaded: Loaded) -> bool:
        """Whether its state was not written down since it last changed: also a package's build and a queue's go on."""
        return self._settled.get(loaded.row.id) != (loaded.row.asked, int(time.monotonic()) // 5)

    def _find_launches(self, session: Session, loaded: Sequence[Loaded]) -> dict[str, PackageLaunch]:
        """How each deployment with live replicas is started: where its health is asked for."""
        found: dict[str, PackageLaunch] = {}
        for one in loaded:
            for deployment_id in {replica.deployment_id for replica in one.replicas}:
                known = self._launches.get(deployment_id)
                if known is None:
                    deployment = one.deployments[deployment_id]
                    by = platform_caller(one.project, deployment, self._clock())
                    try:
                        known = launch_of(session, deployment.package_version_id, by)
                    except TidemillError:
                        # An old one whose package was deleted: it goes, and is asked nothing any more.
                        continue
                found[deployment_id] = known
        self._launches = found
        return found

    def _questions(self, loaded: Sequence[Loaded], launches: dict[str, PackageLaunch]) -> list[Question]:
        now_s = time.monotonic()
        found = []
        for one in loaded:
            for replica in one.replicas:
                workload = one.workloads.get(replica.workload_id)
                launch = launches.get(replica.deployment_id)
                if launch is None or workload is None or workload.state != "running" or workload.attempt_id is None:
                    continue
                if replica.state == "starting" or (replica.state in LIVE and self._is_due(replica, now_s)):
                    found.append(_question(replica, workload.attempt_id, launch))
                    self._asked_at_s[replica.id] = now_s
        live = {replica.id for one in loaded for replica in one.replicas}
        self._asked_at_s = {key: at for key, at in self._asked_at_s.items() if key in live}
        return found

    def _is_due(self, replica: ReplicaRow, now_s: float) -> bool:
        every_s = 1.0 if replica.unwell_since else HEALTH_EVERY_S
        return replica.state in {"ready", "unready"} and now_s >= self._asked_at_s.get(replica.id, 0.0) + every_s

    def _look_at_gateway(self, loaded: Sequence[Loaded]) -> GatewaySeen | None:
        """Asked only when somebody drains: that is what it is needed for."""
        if not any(replica.state == "draining" for one in loaded for replica in one.replicas):
            return None
        state = self._control.state()
        return None if state is None else GatewaySeen(state.revision, dict(state.open_by_replica))

    def _last_lines(self, loaded: Loaded, actions: Sequence[Action]) -> dict[str, str]:
        """What those who failed wrote last: read before the transaction."""
        failed = {one.replica_id for one in actions if isinstance(one, Move) and one.why}
        found = {}
        for replica in loaded.replicas:
            workload = loaded.workloads.get(replica.workload_id)
            if replica.id in failed and workload is not None and workload.attempt_id is not None:
                found[replica.id] = self._tail(workload.attempt_id)
        return found

    def _tail(self, launch_id: str) -> str:
        try:
            piece = self._engine.logs(launch_id, 0, offset=-LAST_BYTES, limit=LAST_BYTES)
        except EngineError:
            return ""
        lines = piece.data.decode("utf-8", "replace").replace("\x00", "").splitlines()
        return "\n".join(lines[-LAST_LINES:])

    def _publish(self) -> None:
        """Has the gateway serve what is ready now; those that drain learn in which table they are no more."""
        now = self._clock()
        unmarked = sa.select(ReplicaRow.id).where(
            ReplicaRow.ended_at.is_(None), ReplicaRow.state == "draining", ReplicaRow.drain_revision.is_(None)
        )
        with self._db.read() as session:
            table = routing.build(session, self._internal, now)
            is_marked = session.scalar(unmarked.limit(1)) is None
        if table == self._published and is_marked:
            return
        with self._db.write() as session:
            table, revision = routing.spread(session, self._internal, now)
            session.execute(
                sa.update(ReplicaRow)
                .where(ReplicaRow.id.in_(session.scalars(unmarked).all()))
                .values(drain_revision=revision)
            )
        self._published, self._revision = table, revision

    def _confirm(self) -> None:
        """Looks whether the gateway has read the newest table: only then is a service said to be serving."""
        if self._confirmed == self._revision or self._published is None:
            return
        state = self._control.state()
        if state is None or state.revision < self._revision:
            self._is_moving = True
            return
        tracks = [track for service in self._published.services for track in service.tracks]
        self._routed = frozenset(replica.id for track in tracks for replica in track.replicas)
        self._confirmed = self._revision
        self._settled.clear()
        self._wake.set()


def _question(replica: ReplicaRow, launch_id: str, launch: PackageLaunch) -> Question:
    is_reached = replica.state != "starting" and replica.host is not None
    return Question(
        replica_id=replica.id,
        launch_id=launch_id,
        port=replica.port,
        grpc_port=replica.grpc_port,
        path=launch.health_path,
        is_inference=launch.protocol == "v2",
        host=replica.host if is_reached else None,
        reached_port=replica.reached_port if is_reached else None,
        reached_grpc_port=replica.reached_grpc_port if is_reached else None,
    )
