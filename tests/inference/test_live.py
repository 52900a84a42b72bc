"""Runs that really run: killed processes, a killed platform, a real model server, a command, the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.cli.conftest import Shell
from tests.cli.conftest import admin as admin
from tests.cli.conftest import project as shell_project  # noqa: F401 — its name is a fixture of the folder
from tests.cli.conftest import stranger as stranger
from tests.cli.conftest import surroundings as surroundings
from tests.live import LiveServer, live_server
from tests.models.colours import model_files, picture
from tidemill.sdk import Client

COUNT, FEW = 130, 12
LIMIT_S = 120.0
LIST = "ls $TIDEMILL_WORKSPACE/dataset/few | head -$TIDEMILL_PARAM_LIMIT > $TIDEMILL_OUTPUT/found.txt"


def eventually(look: Callable[[], Any]) -> Any:
    """What `look` finds, as soon as it finds something."""
    deadline_s = time.monotonic() + LIMIT_S
    while not (found := look()):
        assert time.monotonic() < deadline_s, "it did not come to pass"
        time.sleep(0.02)
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    room = {
        "TIDEMILL_ENGINE_CPUS": "16",
        "TIDEMILL_ENGINE_GRACE_S": "2",
        "TIDEMILL_SSH_ENABLED": "false",
        "TIDEMILL_OUTBOUND_ALLOW": "127.0.0.1",
    }
    with live_server(tmp_path_factory.mktemp("inference") / "home", **room) as running:
        yield running


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures that take a moment to read, so that there is a middle in which something can happen."""
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(COUNT):
        colour = ("red", "green", "blue")[number % 3]
        values = {"red": (230, 20, 20), "green": (20, 230, 20), "blue": (20, 20, 230)}[colour]
        image = Image.new("RGB", (1600, 1600), values)
        image.putpixel((number, 0), (number % 256, 0, 0))
        image.save(folder / f"{colour}-{number:03d}.png", compress_level=1)
    return folder


@pytest.fixture
def shell(admin: Shell, pictures: Path, tmp_path: Path) -> Shell:
    """A project with the pictures and the model, once for all tests."""
    if "batch" in {one["name"] for one in admin.json("project", "list")["items"]}:
        admin.ok("project", "use", "batch")
        return admin
    admin.ok("project", "create", "batch")
    admin.ok("project", "use", "batch")
    admin.ok("dataset", "create", "pictures", "--task", "image-classification")
    admin.ok("dataset", "import", "pictures", pictures, "--format", "files", "--wait")
    few = tmp_path / "few"
    few.mkdir()
    for number in range(FEW):
        colour = ("red", "green", "blue")[number % 3]
        (few / f"{colour}-{number:03d}.png").write_bytes(picture(colour, number))
    admin.ok("dataset", "create", "few", "--task", "image-classification")
    admin.ok("dataset", "import", "few", few, "--format", "files", "--wait")
    folder = tmp_path / "model"
    folder.mkdir()
    for path, content in model_files().items():
        (folder / path).write_bytes(content)
    admin.ok("model", "push", folder, "colours")
    return admin


@pytest.fixture
def client(shell: Shell) -> Iterator[Client]:
    with Client() as found:
        yield found


def programs(server: LiveServer) -> list[int]:
    """Processes of runs on this platform."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command, around = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
            except OSError:
                continue
            if b"tidemill.inference.worker.program" in command and f"TIDEMILL_URL={server.url}".encode() in around:
                found.append(int(entry.name))
    return found


def test_killed_processes_and_a_killed_platform_lose_and_double_nothing(
    server: LiveServer, shell: Shell, client: Client
) -> None:
    shell.ok("infer", "create", "looking", "--model", "colours", "--dataset", "pictures", "--workers", "1")
    started = shell.json("infer", "start", "looking")
    begun = eventually(lambda: now if (now := client.inferences.run("looking")).done >= 10 else None)
    assert begun.total == COUNT
    eventually(lambda: [os.kill(pid, signal.SIGKILL) for pid in programs(server)[:1]])
    again = eventually(lambda: now if (now := client.inferences.run("looking")).attempt >= 2 else None)
    server.kill()
    server.start()
    done = client.inferences.wait(again)
    assert (done.id, done.done, done.errors, done.state) == (started["id"], COUNT, 0, "completed")
    assert done.rate
    results = list(client.inferences.results("looking"))
    assert [one.seq for one in results] == list(range(1, COUNT + 1))
    assert all(one.path.startswith(str(one.label)) for one in results)


def test_a_process_of_several_that_dies_is_replaced(server: LiveServer, shell: Shell, client: Client) -> None:
    shell.ok("infer", "create", "many", "--model", "colours", "--dataset", "pictures", "--workers", "2")
    client.inferences.update("many", settings={**_set(client, "many"), "workers": 2})
    run = client.inferences.start("many")
    eventually(lambda: client.inferences.run("many").done >= 5 or client.inferences.run("many").is_over)
    children = [pid for pid in _children(programs(server)) if b"spawn_main" in _command(pid)]
    for pid in children[:1]:
        os.kill(pid, signal.SIGKILL)
    done = client.inferences.wait(run)
    assert (done.done, done.errors, done.attempt) == (COUNT, 0, 1)
    assert [one.seq for one in client.inferences.results("many")] == list(range(1, COUNT + 1))


def _set(client: Client, name: str) -> dict[str, Any]:
    settings = {key: value for key, value in client.inferences.get(name).settings.items() if value is not None}
    settings["source"] = {key: value for key, value in settings["source"].items() if value is not None}
    return settings


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _children(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(one) for one in task.read_text().split()]
    return found


def test_a_model_server_is_asked_instead_of_a_model(shell: Shell, client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "colours"
    folder.mkdir()
    for path, content in model_files().items():
        (folder / path).write_bytes(content)
    command = [sys.executable, "-m", "tidemill.runtime", "serve", "--model", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as serving:
        try:
            assert serving.stdout is not None
            port = json.loads(serving.stdout.readline())["port"]
            url = f"http://127.0.0.1:{port}"
            shell.ok("infer", "create", "asking", "--address", url, "--model", "colours", "--dataset", "few")
            done = shell.json("infer", "start", "asking", "--wait")
            assert (done["done"], done["errors"], done["source"]) == (FEW, 0, f"{url} colours")
        finally:
            serving.terminate()
    found = {one.path: one.label for one in client.inferences.results("asking")}
    assert len(found) == FEW
    assert all(path.startswith(str(label)) for path, label in found.items())


def test_a_command_runs_and_leaves_its_files(shell: Shell, client: Client, tmp_path: Path) -> None:
    shell.ok(
        "infer", "create", "own", "--dataset", "few", "--model", "colours", "--set", "limit=3",
        "--command", LIST, "--launcher", "command", "--time-limit", "600",
    )  # fmt: skip
    done = shell.json("infer", "start", "own", "--wait")
    assert (done["state"], done["form"], done["can_resume"]) == ("completed", "code", False)
    assert [one.name for one in client.inferences.files("own", path="persistent-model")] == ["checkpoints", "found.txt"]
    failed = shell.run("infer", "edit", "own", "--command", "exit 3")
    assert failed.code == 0, failed.err
    assert shell.run("infer", "start", "own", "--wait").code == 1
    assert client.inferences.run("own").exit_code == 3
    assert "exit" not in shell.ok("infer", "logs", "own")


def test_the_command_line_does_all_of_it(shell: Shell, tmp_path: Path) -> None:
    shell.ok("infer", "create", "cli", "--model", "colours@1", "--dataset", "few@1", "--threshold", "0.4")
    run = shell.json("infer", "start", "cli", "--wait")
    assert (run["done"], run["progress"]) == (FEW, 100.0)
    assert shell.json("infer", "list", "--mine", "--search", "cli")["items"][0]["last_run"]["state"] == "completed"
    assert shell.json("infer", "show", "cli", "--run", "1")["id"] == run["id"]
    reds = shell.json("infer", "results", "cli", "--label", "red", "--min-score", "0.5", "--limit", "3")
    assert (len(reds["items"]), reds["items"][0]["label"]) == (3, "red")
    assert "red-000.png" in shell.ok("infer", "results", "cli", "--search", "red-000")
    for form in ("json", "csv"):
        shell.ok("infer", "download", "cli", "--format", form, "-o", tmp_path / f"found.{form}")
    assert len(json.loads((tmp_path / "found.json").read_bytes())["results"]) == FEW
    assert shell.json("infer", "labels", "cli")["unmatched"] == 3
    assert "none; made, or left out" in shell.ok("infer", "labels", "cli", "--as", "version")
    refused = shell.refused("infer", "write-back", "cli", "--map", "pink=red")
    assert "pink" in refused
    part = shell.json("infer", "write-back", "cli", "--as", "version", "--map", "red=blue", "--wait")
    assert 0 < part["counts"]["written"] < FEW
    written = shell.json("infer", "write-back", "cli", "--as", "suggestions", "--dataset", "few@1", "--wait")
    assert written["counts"]["written"] == FEW
    assert "same name" in shell.ok("infer", "labels", "cli", "--dataset", "few@1")
    shell.ok("infer", "copy", "cli", "cli-2")
    shell.ok("infer", "edit", "cli-2", "--threshold", "0.9", "--time-limit", "90")
    kept = shell.json("infer", "show", "cli-2")["settings"]
    assert (kept["threshold"], kept["time_limit_s"]) == (0.9, 90)
    asked = ("--address", "http://127.0.0.1:9", "--model", "m", "--in-flight", "7")
    shell.ok("infer", "edit", "cli-2", *asked)
    assert shell.json("infer", "show", "cli-2")["settings"]["source"]["in_flight"] == 7
    shell.ok("infer", "edit", "cli-2", "--in-flight", "3")
    assert shell.json("infer", "show", "cli-2")["settings"]["source"]["in_flight"] == 3
    assert "still has 1 runs" in shell.refused("infer", "delete", "cli", "--yes")
    shell.ok("infer", "delete", "cli", "--run", "1", "--yes")
    shell.ok("infer", "delete", "cli", "--yes")
    assert "is needed" in shell.refused("infer", "create", "x", "--model", "colours", code=2)
