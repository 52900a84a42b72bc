"""A bare application after its first start, for tests below HTTP."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.accounts.access import Caller, system_caller
from tidemill.accounts.tables import UserRow
from tidemill.jobs import handlers, service
from tidemill.jobs.runner import Runner
from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app
from tidemill.server.rooms import ROOMS

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Hands:
    """A clock whose hands the test turns."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **by: float) -> None:
        self.now += timedelta(**by)


class House:
    """The application without its loops, and the background work in it."""

    def __init__(self, settings: Settings) -> None:
        self.hands = Hands()
        self.app: FastAPI = create_app(settings, clock=self.hands)
        self.db: Database = self.app.state.db
        for room in ROOMS:
            room.first_start(self.app)
        self.user = self._find_admin()

    def handle(self, kind: str, handler: Callable[[handlers.RunningJob], dict[str, Any]]) -> None:
        """Gives a kind that exists another handler."""
        self.app.state.job_handlers._by_kind[kind] = handler

    def runner(self) -> Runner:
        return Runner(self.app)

    def submit(self, kind: str = "gc", **options: Any) -> str:
        with self.db.write() as session:
            options = {"params": {}, "name": "tide", "by": self.caller(), **options}
            return service.submit(session, kind, **options).id

    def cancel(self, job_id: str) -> None:
        with self.db.write() as session:
            service.cancel(session, session.get_one(JobRow, job_id), by=self.caller())

    def job(self, job_id: str) -> JobRow:
        with self.db.read() as session:
            return session.get_one(JobRow, job_id)

    def rows(self, table: Any) -> list[Any]:
        with self.db.read() as session:
            return list(session.scalars(sa.select(table).order_by(table.id)))

    def caller(self) -> Caller:
        return replace(system_caller(self.hands.now), user_id=self.user, user_name="admin", kind="session")

    def _find_admin(self) -> str:
        with self.db.read() as session:
            return session.scalars(sa.select(UserRow.id).where(UserRow.name == "admin")).one()


@pytest.fixture
def house(settings: Settings) -> Iterator[House]:
    found = House(settings)
    yield found
    found.app.state.stopping.set()
    found.app.state.live.wait_closed()
    found.db.close()
