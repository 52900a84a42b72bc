"""A real server whose runs really run, and somebody who trains on it."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tests.workloads.conftest import house as house
from tidemill.sdk import Client
from tidemill.sdk.work_views import Run

LIMIT_S = 180.0
T = TypeVar("T")


def eventually(look: Callable[[], T | None], *, limit_s: float = LIMIT_S) -> T:
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + limit_s
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.05)
    return found


class Trainer:
    """Somebody with a project of their own."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.count = 0

    def algorithm(self, script: str, **files: str) -> str:
        """An algorithm with `train.py`, and its name."""
        self.count += 1
        folder = self.folder / f"algorithm-{self.count}"
        folder.mkdir()
        (folder / "train.py").write_text(script)
        for name, content in files.items():
            (folder / name).write_text(content)
        name = f"net-{self.count}"
        self.client.algorithms.push(folder, name)
        return name

    def start(self, script: str = "", *, command: str = "python train.py", **settings: Any) -> Run:
        """A run of a new task."""
        if script:
            settings["algorithm"] = self.algorithm(script)
        self.count += 1
        task = self.client.tasks.create(f"task-{self.count}", command, **settings)
        return self.client.tasks.start(task.name)

    def log(self, run: Run, node: int = 0) -> str:
        return "".join(self.client.runs.logs(run.id, node=node))

    def finish(self, run: Run, state: str = "completed") -> Run:
        """The run when it has ended, as it should."""
        found = eventually(lambda: self._ended(run))
        assert found.state == state, f"{found.state} {found.stop_reason} {found.message}\n{self._logs(found)}"
        return found

    def metrics(self, run: Run) -> dict[str, list[Any]]:
        return {series.key: list(series.points) for series in self.client.runs.metrics(run.id)}

    def until_logged(self, run: Run, key: str, step: int) -> None:
        """Until a curve has come so far."""
        eventually(lambda: any(point[0] >= step for point in self.metrics(run).get(key, ())))

    def collected(self, run: Run) -> dict[str, list[Any]]:
        """All curves, once nothing more will come."""
        path = f"/projects/{self.client.project}/runs/{run.id}/metrics"
        eventually(lambda: self.client.transport.call("GET", path)["is_over"])
        return self.metrics(run)

    def _logs(self, run: Run) -> str:
        nodes = len(run.workload.nodes) if run.workload else 1
        return "".join(f"--- node {node}\n{self.log(run, node)}" for node in range(nodes))

    def _ended(self, run: Run) -> Run | None:
        found = self.client.runs.get(run.id)
        return found if found.is_over else None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for all tests of this folder; more processors are given out than there are, so that nobody waits."""
    home = tmp_path_factory.mktemp("training") / "home"
    room = {"TIDEMILL_ENGINE_CPUS": "64", "TIDEMILL_ENGINE_GRACE_S": "2", "TIDEMILL_SSH_ENABLED": "false"}
    with live_server(home, **room) as running:
        yield running


@pytest.fixture
def trainer(server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trainer]:
    for name in [name for name in os.environ if name.startswith("TIDEMILL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TIDEMILL_CONFIG", str(tmp_path / "config.json"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    client = Client(server.url)
    client.sign_in("admin", ADMIN_PASSWORD)
    client.project = client.projects.create(f"project-{time.monotonic_ns()}").name
    yield Trainer(client, tmp_path)
    client.close()


def needs_torch() -> None:
    """Skips where PyTorch is not installed beside the platform."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")


def needs_mpirun() -> None:
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed: apt-get install openmpi-bin")
