"""The two lines in a script: they never hold up or break what they measure."""

import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tidemill.sdk import tracking


class Platform:
    """Takes metrics, or refuses them, or is away."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.bodies: list[dict[str, Any]] = []
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = platform.statuses.pop(0) if platform.statuses else 200
                if status == 200:
                    platform.bodies.append(body)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: Any) -> None:
                return

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    @property
    def points(self) -> list[dict[str, Any]]:
        return [point for body in self.bodies for point in body["points"]]


@pytest.fixture
def platform() -> Iterator[Platform]:
    found = Platform()
    yield found
    found.http.shutdown()
    found.http.server_close()


@pytest.fixture
def sender(platform: Platform, tmp_path: Path) -> tracking.Sender:
    return tracking.Sender(f"{platform.url}/metrics", "tm_x", tmp_path / "left", send_every_s=0.01)


def script(text: str, platform: Platform | None, workspace: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": os.environ["PATH"], "TIDEMILL_WORKSPACE": str(workspace), **more}
    if platform is not None:
        environment |= {
            "TIDEMILL_URL": platform.url,
            "TIDEMILL_TOKEN": "tm_x",
            "TIDEMILL_RUN_ID": "run_1",
            "TIDEMILL_PROJECT": "tides",
        }
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, env=environment)


def test_points_arrive_with_their_steps_and_times(platform: Platform, sender: tracking.Sender) -> None:
    before = time.time() * 1000
    sender.put({"loss": 0.5, "n": 3}, 7)
    assert sender.flush(10)
    assert [(point["key"], point["value"], point["step"]) for point in platform.points] == [
        ("loss", 0.5, 7),
        ("n", 3, 7),
    ]
    assert before - 1 <= platform.points[0]["at"] <= time.time() * 1000


def test_what_is_no_number_is_left_out_and_what_is_infinite_is_said(
    platform: Platform, sender: tracking.Sender
) -> None:
    sender.put({"word": "tide", "list": [1, 2], "nan": math.nan, "inf": math.inf, "one": True}, None)
    assert sender.flush(10)
    assert [(point["key"], point["value"]) for point in platform.points] == [("nan", "nan"), ("inf", "inf"), ("one", 1)]


def test_a_server_that_is_away_is_asked_again_with_the_same_batch(platform: Platform, sender: tracking.Sender) -> None:
    platform.statuses = [503, 500]
    sender.put({"loss": 1}, 1)
    assert sender.flush(10)
    (body,) = platform.bodies
    assert (body["batch"], len(body["points"])) == (1, 1)


def test_a_refusal_ends_it_quietly(platform: Platform, sender: tracking.Sender) -> None:
    platform.statuses = [403]
    sender.put({"loss": 1}, 1)
    assert sender.flush(10)
    sender.put({"loss": 2}, 2)
    assert sender.flush(10)
    assert platform.bodies == []


def test_logging_never_waits_and_keeps_the_newest_when_nobody_listens(tmp_path: Path) -> None:
    sender = tracking.Sender("http://127.0.0.1:9/metrics", "tm_x", tmp_path / "left")
    began = time.perf_counter()
    for step in range(tracking.BUFFER_MAX // 10):
        sender.put({"loss": 1.0}, step)
    assert time.perf_counter() - began < 5
    sender._leave()
    (left,) = (tmp_path / "left").glob("*.jsonl")
    batches = [json.loads(line) for line in left.read_text().splitlines()]
    numbers = [batch["batch"] for batch in batches]
    assert numbers == list(range(numbers[0], numbers[0] + len(batches)))
    steps = [point["step"] for batch in batches for point in batch["points"]]
    assert steps == list(range(tracking.BUFFER_MAX // 10))


def test_outside_of_a_run_nothing_happens(tmp_path: Path) -> None:
    done = script("import tidemill\ntidemill.log(loss=1)\nprint(tidemill.run().id, tidemill.flush())", None, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "None True\n", "")


def test_the_end_of_a_script_sends_what_is_left(platform: Platform, tmp_path: Path) -> None:
    done = script("import tidemill\nfor s in range(100): tidemill.log(loss=s, step=s)", platform, tmp_path)
    assert done.returncode == 0, done.stderr
    assert [point["value"] for point in platform.points] == list(range(100))


def test_a_script_told_to_end_sends_first_and_then_ends_by_the_signal(platform: Platform, tmp_path: Path) -> None:
    text = (
        "import os, signal, tidemill\ntidemill.log(loss=1, step=1)\nos.kill(os.getpid(), signal.SIGTERM)\nprint('no')"
    )
    done = script(text, platform, tmp_path)
    assert (done.returncode, done.stdout) == (-15, "")
    assert len(platform.points) == 1


def test_forked_children_have_a_voice_of_their_own(platform: Platform, tmp_path: Path) -> None:
    text = """
import os, tidemill
tidemill.log(parent=1, step=1)
child = os.fork()
if child == 0:
    tidemill.log(child=1, step=1)
    tidemill.flush()
    os._exit(0)
os.waitpid(child, 0)
"""
    done = script(text, platform, tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(point["key"] for point in platform.points) == ["child", "parent"]


def test_only_the_first_process_of_many_is_heard(platform: Platform, tmp_path: Path) -> None:
    done = script("import tidemill\ntidemill.log(loss=1)", platform, tmp_path, RANK="1")
    assert done.returncode == 0, done.stderr
    assert platform.points == []


def test_a_run_knows_its_places_and_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("TIDEMILL_PARAMETERS", '{"lr": 0.1}')
    monkeypatch.setenv("TIDEMILL_RESUME_FROM", str(tmp_path / "persistent-model/checkpoints/3"))
    monkeypatch.setenv("TIDEMILL_RUN_ID", "run_1")
    run = tracking.run()
    assert (run.id, run.parameters, run.checkpoints) == (
        "run_1",
        {"lr": 0.1},
        tmp_path / "persistent-model/checkpoints",
    )
    assert run.resume_from == run.checkpoints / "3"
    assert run.model("bert") == tmp_path / "model" / "bert"


def test_importing_is_light() -> None:
    text = "import sys, tidemill\ntidemill.log(loss=1)\nprint({'httpx2', 'click', 'asyncio'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.stdout == "set()\n", done.stderr
