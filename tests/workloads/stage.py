"""A real server over the real local engine; workloads are submitted through its database."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import sqlalchemy as sa

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tests.workloads.conftest import caller_in
from tidemill.kernel.db import Database
from tidemill.workloads import service
from tidemill.workloads.schemas import SpecCreate
from tidemill.workloads.service import Wanted
from tidemill.workloads.specs import create_spec
from tidemill.workloads.tables import WorkloadRow

LIMIT_S = 90.0


class Stage:
    """A server and its database."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.db = Database(f"sqlite:///{server.home / 'tidemill.db'}")
        self.http = self._signed_in()
        self.http.post("projects", json={"name": "tides"}).raise_for_status()
        with self.db.write() as session:
            spec = SpecCreate(name="tiny", cpus=2, memory_bytes=64 * 2**20)
            create_spec(session, spec, by=caller_in(self.db, "tides"))

    def restart(self) -> None:
        self.http.close()
        self.server.start()
        self.http = self._signed_in()

    def _signed_in(self) -> httpx2.Client:
        http = httpx2.Client(base_url=f"{self.server.url}/api/v1/", headers={"X-Tidemill": "1"}, timeout=30)
        http.post("session", json={"user": "admin", "password": ADMIN_PASSWORD}).raise_for_status()
        return http

    def submit(self, all_wanted: Sequence[Wanted]) -> list[str]:
        """From this process: the server finds them when it next looks."""
        by = caller_in(self.db, "tides")
        with self.db.write() as session:
            return [service.submit(session, wanted, by=by).id for wanted in all_wanted]

    def rows(self, ids: list[str]) -> list[WorkloadRow]:
        with self.db.read() as session:
            return list(session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_(ids))))

    def until(self, is_so: Callable[[], Any]) -> None:
        deadline = time.monotonic() + LIMIT_S
        while not is_so():
            assert time.monotonic() < deadline, self.server.log.read_text()[-3000:]
            time.sleep(0.002)


@contextmanager
def open_stage(home: Path, **environment: str) -> Iterator[Stage]:
    """A server with a project and a small spec, for the block.

    More processors are given out than there are: nobody waits, and nobody is held to a sliver of one.
    """
    with live_server(home, **{"TIDEMILL_ENGINE_CPUS": "64", **environment}) as server:
        made = Stage(server)
        try:
            yield made
        finally:
            made.http.close()
            made.db.close()
