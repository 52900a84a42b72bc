"""A control plane over an engine in memory, moved by hand: no loop runs but when the test says so."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Api
from tests.workloads.engine import MemoryEngine
from tidemill.accounts.access import Caller, ProjectRef
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.assets.tickets import load_key
from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Database
from tidemill.workloads import service
from tidemill.workloads.capacity import write_machines
from tidemill.workloads.conductor import Conductor
from tidemill.workloads.outputs import Collector
from tidemill.workloads.schemas import SpecCreate
from tidemill.workloads.secrets import TokenMint
from tidemill.workloads.service import Wanted
from tidemill.workloads.specs import create_spec
from tidemill.workloads.tables import SpecRow, WorkloadRow

GIB = 2**30
LIMIT_S = 20.0


def eventually(is_so: Callable[[], Any]) -> Any:
    """Waits until it is so."""
    deadline = time.monotonic() + LIMIT_S
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.005)
    return found


def caller_in(db: Database, project: str) -> Caller:
    """The administrator, calling about a project."""
    with db.read() as session:
        found = session.scalars(sa.select(ProjectRow).where(ProjectRow.name == project)).one()
        who = session.scalars(sa.select(UserRow).where(UserRow.name == "admin")).one()
    return Caller(
        user_id=who.id,
        user_name=who.name,
        kind="session",
        is_administrator=True,
        address="",
        request_id="",
        language="en",
        now=utc_now(),
        project_ref=ProjectRef(found.id, found.name, found.is_public),
    )


class House:
    """The room of workloads with its engine, and somebody who asks for things."""

    def __init__(self, app: FastAPI, api: Api, engine: MemoryEngine) -> None:
        self.app = app
        self.api = api
        self.engine = engine
        self.db: Database = app.state.db
        self.project = api.project("tides")
        self.conductor = self.new_conductor()
        self.collector = Collector(self.db, app.state.store, engine)
        self.set_machines(engine.given)
        self.spec("one", cpus=1, gib=1)

    def new_conductor(self) -> Conductor:
        """As after a restart: nothing is remembered but what is in the database and at the engine."""
        mint = TokenMint(load_key(self.app.state.settings.home))
        return Conductor(self.app, self.engine, mint)

    def set_machines(self, machines: Any) -> None:
        self.engine.given = list(machines)
        with self.db.write() as session:
            write_machines(session, machines, utc_now())

    def spec(self, name: str, *, cpus: float, gib: float, **more: Any) -> str:
        with self.db.write() as session:
            session.execute(sa.delete(SpecRow).where(SpecRow.name == name))
            body = SpecCreate(name=name, cpus=cpus, memory_bytes=int(gib * GIB), **more)
            create_spec(session, body, by=self.caller())
        return name

    def caller(self, project: str | None = None) -> Caller:
        return caller_in(self.db, project or self.project)

    def caller_now(self) -> datetime:
        return utc_now()

    def submit(self, name: str = "job", *, project: str | None = None, **more: Any) -> str:
        given = {"kind": "test", "owner_id": "own", "command": ("true",), "spec": "one", **more}
        with self.db.write() as session:
            return service.submit(session, Wanted(name=name, **given), by=self.caller(project)).id

    def stop(self, workload_id: str, **more: Any) -> None:
        with self.db.write() as session:
            service.stop(session, workload_id, by=self.caller(), **more)

    def row(self, workload_id: str) -> WorkloadRow:
        with self.db.read() as session:
            return session.get_one(WorkloadRow, workload_id)

    def state(self, workload_id: str) -> str:
        return self.row(workload_id).state

    def turn(self) -> None:
        self.conductor.do_what_is_due()

    def until(self, workload_id: str, state: str) -> WorkloadRow:
        """Turns until the workload is there."""

        def look() -> WorkloadRow | None:
            self.turn()
            row = self.row(workload_id)
            return row if row.state == state else None

        return eventually(look)

    def end(self, workload_id: str, reason: str = "finished", exit_code: int | None = 0) -> None:
        attempt = self.row(workload_id).attempt_id
        assert attempt
        self.engine.end(attempt, reason, exit_code)


@pytest.fixture
def house(app: FastAPI, api: Api, tmp_path: Path) -> Iterator[House]:
    """A room of workloads that moves when it is told to."""
    engine = MemoryEngine(tmp_path / "workspaces")
    app.state.engine.close()
    app.state.engine = engine
    made = House(app, api, engine)
    yield made
    made.conductor.close()
