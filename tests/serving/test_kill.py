"""The control plane dies at every step of its work on services: nothing runs twice, nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Api
from tests.workloads.conftest import House
from tests.workloads.engine import MemoryEngine
from tidemill.gateway.control import Control
from tidemill.gateway.publishing import find_published
from tidemill.gateway.schemas import GatewayState
from tidemill.kernel.clock import utc_now
from tidemill.packages.running import PackageLaunch
from tidemill.packages.tables import PackageVersionRow
from tidemill.serving import routing
from tidemill.serving.reconciling import reconciler as module
from tidemill.serving.reconciling import starting
from tidemill.serving.reconciling.applying import Hands, apply
from tidemill.serving.reconciling.decide import Start
from tidemill.serving.reconciling.health import Answer, Prober
from tidemill.serving.reconciling.reconciler import Reconciler
from tidemill.serving.reconciling.seen import Limits
from tidemill.serving.tables import ReplicaRow, ServiceRow
from tidemill.workloads import service as workloads
from tidemill.workloads.tables import WorkloadRow

AT = "/projects/tides/services"


class Killed(BaseException):
    """Nobody catches it, as nobody catches a kill."""


class Theatre(House):
    """Workloads, services and a gateway that does as it is told, moved by hand."""

    def __init__(self, app: FastAPI, api: Api, engine: MemoryEngine) -> None:
        super().__init__(app, api, engine)
        self.reconciler = Reconciler(app, app.state.service_keys)
        self.person = api.admin

    def again(self) -> None:
        """As after a restart."""
        self.reconciler.close()
        self.reconciler = Reconciler(self.app, self.app.state.service_keys)

    def package(self) -> None:
        """A version that is built: its bytes do not matter here."""
        made = self.person.ok("post", "/projects/tides/packages", json={"name": "app", "scene": "other"})
        with self.db.write() as session:
            columns = {"asset_id": made["id"], "number": 1, "state": "committed"}
            version = _version(session, self.caller().project.id, **columns)
            session.add(
                PackageVersionRow(
                    version_id=version, asset_id=made["id"], project_id=self.caller().project.id, state="completed",
                    recipe={}, plan={"protocol": "v2"}, digest="d", changed_at=utc_now(),
                )
            )  # fmt: skip

    def settle(self) -> None:
        """Turns everything until nothing moves any more."""
        for _ in range(60):
            self.turn()
            self.reconciler.do_what_is_due()
            for launch in list(self.engine.known):
                if self.engine.known[launch].stops and self.engine.known[launch].seen.state != "ended":
                    self.engine.end(launch, "stopped")
            seen = self.person.ok("get", f"{AT}/s")
            live = [one for role in ("production", "canary") if seen[role] for one in seen[role]["replicas"]]
            if seen["state"] == "serving" and all(one["state"] == "ready" for one in live):
                return
        raise AssertionError(seen)


def _version(session: Any, project_id: str, **columns: Any) -> str:
    from tidemill.assets.tables import AssetRow, VersionRow
    from tidemill.store.tables import TreeRow

    now = utc_now()
    template = {"created_at": now, "created_by": "admin"}
    tree = TreeRow(**_filled(TreeRow, {"id": "tre_1", "project_id": project_id}, now))
    session.add(tree)
    session.flush()
    row = VersionRow(**_filled(VersionRow, {"id": "ver_1", "tree_id": "tre_1", **columns, **template}, now))
    session.add(row)
    session.execute(sa.update(AssetRow).where(AssetRow.id == columns["asset_id"]).values(latest_version=1))
    session.flush()
    return row.id


def _filled(table: Any, given: dict[str, Any], now: Any) -> dict[str, Any]:
    """A row with something in every column that must have something."""
    defaults = {int: 0, str: "", bool: False, dict: {}, list: [], float: 0.0}
    found = dict(given)
    for column in table.__table__.columns:
        if column.name in found or column.nullable or column.default is not None or column.server_default is not None:
            continue
        kind = column.type.python_type
        found[column.name] = now if kind.__name__ == "datetime" else defaults[kind]
    return found


@pytest.fixture
def theatre(app: FastAPI, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    engine = MemoryEngine(tmp_path / "workspaces")
    app.state.engine.close()
    app.state.engine = engine
    launch = PackageLaunch(
        version_id="ver_1", number=1, name="app@1", kind="python", image=None, inputs=(), command=("true",),
        environment={}, health_path="/", has_grpc=False, protocol="v2", models=(), task="",
        digest="d",
    )  # fmt: skip
    for place in (starting, module):
        monkeypatch.setattr(place, "launch_of", lambda *_: launch)
    monkeypatch.setattr(
        Prober,
        "ask",
        lambda _self, _engine, asked: {one.replica_id: Answer(True, "127.0.0.1", one.port) for one in asked},
    )
    made = Theatre(app, api, engine)

    def state(_: Control) -> GatewayState:
        with made.db.read() as session:
            revision, _table = find_published(session)
        return GatewayState(1, "e", "p", revision, utc_now(), 1, None, 0, {})

    monkeypatch.setattr(Control, "state", state)
    monkeypatch.setattr(Control, "nudge", lambda _: True)
    made.package()
    yield made
    made.reconciler.close()
    made.conductor.close()


def counted(theatre: Theatre) -> tuple[int, int, int]:
    """Replicas that are ready, workloads of theirs that run, replicas in the published table."""
    with theatre.db.read() as session:
        ready = session.scalars(sa.select(ReplicaRow).where(ReplicaRow.state == "ready")).all()
        running = session.scalars(
            sa.select(WorkloadRow).where(WorkloadRow.kind == "replica", WorkloadRow.ended_at.is_(None))
        ).all()
        _, table = find_published(session)
    routed = [one for service in table.services for track in service.tracks for one in track.replicas]
    return len(ready), len(running), len(routed)


POINTS: list[tuple[Any, str]] = [
    (module, "load"),
    (module, "decide"),
    (module, "apply"),
    (starting, "launch_of"),
    (workloads, "submit"),
    (routing, "build"),
    (routing, "publish"),
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_it_is_taken_up_and_nothing_runs_twice(
    theatre: Theatre, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    theatre.person.ok("post", AT, json={"name": "s", "package": "app@1", "spec": "one", "replicas": 1})
    for number, (place, name) in enumerate(POINTS):
        changes = ({"replicas": 2, "environment": {"A": str(number)}}, {"replicas": 1})
        for change, wanted in zip(changes, (2, 1), strict=True):
            theatre.person.ok("patch", f"{AT}/s/tracks/production", json=change)
            with monkeypatch.context() as patched:
                patched.setattr(place, name, dying(getattr(place, name), after=after))
                work_and_die(theatre)
            theatre.settle()
            assert counted(theatre) == (wanted, wanted, wanted), (name, change)


def dying(real: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    """The same, but nobody survives it."""

    def die(*arguments: Any, **given: Any) -> Any:
        if after:
            real(*arguments, **given)
        raise Killed

    return die


def work_and_die(theatre: Theatre) -> None:
    for _ in range(2):
        theatre.turn()
        try:
            theatre.reconciler.do_what_is_due()
        except Killed:
            theatre.again()


def test_what_people_ask_for_meanwhile_is_not_undone_by_what_was_decided_before(theatre: Theatre) -> None:
    theatre.person.ok("post", AT, json={"name": "s", "package": "app@1", "spec": "one", "replicas": 2})
    theatre.settle()
    with theatre.db.read() as session:
        row = session.scalars(sa.select(ServiceRow)).one()
        asked = row.asked
    theatre.person.ok("patch", f"{AT}/s/tracks/production", json={"replicas": 1})
    with theatre.db.write() as session:
        hands = Hands(range(30000, 30100), Limits(), {}, {})
        track = theatre.person.ok("get", f"{AT}/s")["production"]["id"]
        apply(session, row.id, asked, [Start(track, 5)], hands, utc_now())
    theatre.settle()
    assert counted(theatre) == (1, 1, 1)
