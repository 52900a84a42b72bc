"""SIGKILL of a real control plane over the real local engine: all is found again, nothing twice, nothing lost."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tests.workloads.conftest import caller_in
from tidemill.kernel.db import Database
from tidemill.workloads import service
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.schemas import SpecCreate
from tidemill.workloads.service import Wanted
from tidemill.workloads.specs import create_spec
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

LIMIT_S = 90.0

# Writes down that it began, ends when it is let go (and not before, whatever it is told), and says how.
SCRIPT = """
trap 'echo told' TERM
echo began >> "$MARKS/$NAME"
echo begin $NAME
while [ ! -e "$MARKS/go" ]; do sleep 0.1; done
echo end $NAME
exit $CODE
"""


class Stage:
    """A server, its database, and a folder where workloads leave their marks."""

    def __init__(self, server: LiveServer, folder: Path) -> None:
        self.server = server
        self.marks = folder / "marks"
        self.marks.mkdir()
        self.db = Database(f"sqlite:///{server.home / 'tidemill.db'}")
        self.codes: dict[str, int] = {}
        self.http = self._signed_in()
        self.http.post("projects", json={"name": "tides"}).raise_for_status()
        with self.db.write() as session:
            spec = SpecCreate(name="tiny", cpus=0.01, memory_bytes=16 * 2**20)
            create_spec(session, spec, by=caller_in(self.db, "tides"))

    def restart(self) -> None:
        self.http.close()
        self.server.start()
        self.http = self._signed_in()

    def _signed_in(self) -> httpx2.Client:
        http = httpx2.Client(base_url=f"{self.server.url}/api/v1/", headers={"X-Tidemill": "1"}, timeout=30)
        http.post("session", json={"user": "admin", "password": ADMIN_PASSWORD}).raise_for_status()
        return http

    def submit(self, count: int) -> list[str]:
        """From this process: the server finds them when it next looks."""
        by = caller_in(self.db, "tides")
        made = []
        with self.db.write() as session:
            for _ in range(count):
                number = len(self.codes)
                name = f"job-{number}"
                environment = {"MARKS": str(self.marks), "NAME": name, "CODE": str(number % 3)}
                wanted = Wanted(
                    kind="test", owner_id="own", name=name, command=("sh", "-c", SCRIPT), spec="tiny",
                    environment=environment,
                )  # fmt: skip
                made.append(service.submit(session, wanted, by=by).id)
                self.codes[made[-1]] = number % 3
        return made

    def rows(self, ids: list[str]) -> list[WorkloadRow]:
        with self.db.read() as session:
            return list(session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_(ids))))

    def until(self, is_so: Callable[[], Any]) -> None:
        deadline = time.monotonic() + LIMIT_S
        while not is_so():
            assert time.monotonic() < deadline, self.server.log.read_text()[-3000:]
            time.sleep(0.002)

    def has_begun(self, workload: str) -> bool:
        return (self.marks / f"job-{list(self.codes).index(workload)}").exists()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    environment = {"TIDEMILL_ENGINE_RUNTIME": "process", "TIDEMILL_ENGINE_GRACE_S": "600"}
    with live_server(tmp_path / "home", **environment) as server:
        made = Stage(server, tmp_path)
        try:
            yield made
        finally:
            (made.marks / "go").touch()
            made.http.close()
            made.db.close()


@pytest.mark.slow
def test_a_killed_control_plane_finds_everything_again(stage: Stage) -> None:
    first = stage.submit(12)
    stage.until(lambda: all(map(stage.has_begun, first)))
    stopped = first[:4]
    stage.until(lambda: all(row.state == "running" for row in stage.rows(first)))
    for workload in stopped:
        stage.http.post(f"projects/tides/workloads/{workload}/stop").raise_for_status()
    second = stage.submit(8)
    stage.until(lambda: any(row.state != "pending" for row in stage.rows(second)))
    stage.server.kill()
    states = {row.state for row in stage.rows(first + second)}
    assert {"running", "stopping"} <= states
    stage.restart()
    stage.until(lambda: all(map(stage.has_begun, second)))
    (stage.marks / "go").touch()
    stage.until(lambda: all(row.state in FINAL for row in stage.rows(first + second)))
    for row in stage.rows(first + second):
        _is_whole(stage, row, was_stopped=row.id in stopped)
    with stage.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(WorkloadAttemptRow)) == 20


def _is_whole(stage: Stage, row: WorkloadRow, *, was_stopped: bool) -> None:
    """It ran once, its end is told as it was, and its log is complete."""
    code = stage.codes[row.id]
    assert (stage.marks / row.name).read_text() == "began\n", row.name
    expected = ("stopped", "user") if was_stopped else ("failed", "exit_code") if code else ("completed", "finished")
    assert (row.state, row.stop_reason) == expected, row.name
    assert row.exit_code == code
    log = stage.http.get(f"projects/tides/workloads/{row.id}/logs").json()
    assert log["text"].startswith(f"begin {row.name}\n")
    assert log["text"].endswith(f"end {row.name}\n")
    assert log["is_over"]
