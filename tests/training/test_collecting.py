"""Points gathered from output and files: once each, whatever dies in between."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Api
from tests.training.test_event_files import record, scalar_event
from tests.workloads.engine import MemoryEngine
from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Database
from tidemill.training.metrics.collecting import Collector
from tidemill.training.metrics.series import list_series, load_points
from tidemill.training.tables import RunRow
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

LAUNCH = "launch-1"


class House:
    """A run that is under way, moved by hand."""

    def __init__(self, api: Api, folder: Path) -> None:
        self.db: Database = api.app.state.db
        self.engine = MemoryEngine(folder)
        project = f"/projects/{api.project()}"
        api.admin.ok("post", f"{project}/tasks", json={"name": "net", "command": "true"})
        self.run: str = api.admin.ok("post", f"{project}/tasks/net/start")["id"]
        self.set_state("running")
        self.collector = self.new_collector()

    def new_collector(self) -> Collector:
        """As after a restart."""
        return Collector(self.db, lambda: self.engine, utc_now)

    def set_state(self, state: str) -> None:
        with self.db.write() as session:
            run = session.get_one(RunRow, self.run)
            workload = session.get_one(WorkloadRow, run.workload_id)
            workload.state, workload.attempt, workload.attempt_id = state, 1, LAUNCH
            if session.get(WorkloadAttemptRow, LAUNCH) is None:
                now = utc_now()
                session.add(
                    WorkloadAttemptRow(
                        id=LAUNCH, workload_id=workload.id, number=1, placement=[], nodes=[], created_at=now
                    )
                )

    @property
    def workspace(self) -> Path:
        with self.db.read() as session:
            run = session.get_one(RunRow, self.run)
            return self.engine.workspace(session.get_one(WorkloadRow, run.workload_id).workspace)

    def curves(self) -> dict[str, list[tuple[int, float]]]:
        with self.db.read() as session:
            rows = list_series(session, [self.run])
            found = load_points(session, rows)
            return {row.key: [(step, value) for step, value, _ in found[row.id]] for row in rows}

    @property
    def is_open(self) -> bool:
        with self.db.read() as session:
            return session.get_one(RunRow, self.run).metrics_open


class Output:
    """What a launch wrote, as an engine tells it."""

    def __init__(self) -> None:
        self.data = b""
        self.is_over = False

    def __call__(self, id: str, node: int, *, offset: int, limit: int) -> Any:
        from tidemill.engines.base import LogPiece

        assert (id, node) == (LAUNCH, 0)
        piece = self.data[offset : offset + limit]
        return LogPiece(piece, offset, offset + len(piece), len(self.data), self.is_over)


@pytest.fixture
def house(api: Api, tmp_path: Path) -> House:
    return House(api, tmp_path / "engine")


@pytest.fixture
def output(house: House, monkeypatch: pytest.MonkeyPatch) -> Output:
    found = Output()
    monkeypatch.setattr(house.engine, "logs", found)
    return found


def line(step: int) -> bytes:
    return json.dumps({"step": step, "loss": step / 2}).encode() + b"\n"


def test_output_and_files_are_read_on_from_where_a_crash_left_them(house: House, output: Output) -> None:
    events = house.workspace / "runs" / "events.out.tfevents.1.host"
    events.parent.mkdir(parents=True)
    events.write_bytes(record(scalar_event("tb", 1.0, step=1)) + record(scalar_event("tb", 2.0, step=2))[:-3])
    output.data = line(0) + line(1) + line(2)[:9]
    house.collector.collect()
    assert house.curves() == {"loss": [(0, 0.0), (1, 0.5)], "tb": [(1, 1.0)]}

    events.write_bytes(record(scalar_event("tb", 1.0, step=1)) + record(scalar_event("tb", 2.0, step=2)))
    output.data = line(0) + line(1) + line(2) + b'{"step": 3, "loss": 9}'
    house.new_collector().collect()
    assert house.curves() == {"loss": [(0, 0.0), (1, 0.5), (2, 1.0)], "tb": [(1, 1.0), (2, 2.0)]}

    output.is_over = True
    house.set_state("completed")
    house.new_collector().collect()
    assert house.curves()["loss"][-1] == (3, 9.0), "the last line has no end, and there will be none"
    assert not house.is_open


def test_what_a_script_could_not_send_is_found_in_its_workspace(house: House, output: Output) -> None:
    left = house.workspace / ".tidemill" / "metrics" / "abc.jsonl"
    left.parent.mkdir(parents=True)
    batches = [{"sender": "abc", "batch": n, "points": [{"key": "loss", "value": n, "step": n}]} for n in (4, 5)]
    left.write_text("\n".join(map(json.dumps, batches)) + "\nnonsense\n[]\n")
    output.is_over = True
    house.set_state("failed")
    house.collector.collect()
    house.collector.collect()
    assert house.curves() == {"loss": [(4, 4.0), (5, 5.0)]}
    assert not house.is_open


def test_a_broken_event_file_and_a_flood_of_output_do_not_stop_the_rest(house: House, output: Output) -> None:
    for name, content in (
        ("broken", struct.pack("<QI", 5, 1) + b"x" * 20),
        ("good", record(scalar_event("tb", 7.0))),
    ):
        file = house.workspace / name / "events.out.tfevents.1.host"
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    output.data = b"x" * (3 << 20) + b"\n" + line(1)
    house.collector.collect()
    assert house.curves() == {"tb": [(1, 7.0)], "loss": [(1, 0.5)]}
