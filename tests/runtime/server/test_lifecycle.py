"""A server from its start to its end: a user's own class, limits that are met, and a drain that loses nothing."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import tritonclient.grpc as grpc_client

from tests.runtime.server import models
from tests.runtime.server.servers import Running, serving

RSS_MAX_MB = 120


def _asked(server: Running, value: float) -> tuple[int, Any, Any]:
    tensor = {"name": "x", "shape": [1, 1], "datatype": "FP32", "data": [value]}
    return server.ask("/v2/models/slow/infer", {"inputs": [tensor]})


def _until(condition: Any) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)


def test_a_drain_answers_all_that_was_taken(tmp_path: Path) -> None:
    code, model = models.slow(tmp_path)
    with serving("--model", model, "--code", code) as server, ThreadPoolExecutor(12) as callers:
        assert server.ask("/predict", {"a": 1})[1]["labels"] == [{"label": "dict", "score": 1.0}]
        assert server.ask("/predict", b"x", {"Content-Type": "image/png"})[1]["labels"][0]["label"] == "bytes"
        assert _asked(server, 5000)[:2] == (400, {"error": "ValueError: that is too much"})
        assert _asked(server, -1)[:2] == (500, {"error": "RuntimeError: broken"})
        answers = [callers.submit(_asked, server, at) for at in range(1, 13)]
        _until(lambda: server.metric("tidemill_model_in_flight") == 12)
        server.process.send_signal(signal.SIGTERM)
        _until(lambda: _is_refusing(server))
        (model / "gate").touch()
        found = [answer.result(30) for answer in answers]
        assert [status for status, _, _ in found] == [200] * 12
        assert [one["outputs"][0]["data"][0] for _, one, _ in found] == [at * 2 for at in range(1, 13)]
        assert server.process.wait(30) == 0


def _is_refusing(server: Running) -> bool:
    """Not ready, or not listening any more."""
    try:
        return server.ask("/v2/health/ready", timeout=2)[0] == 503
    except OSError:
        return True


def test_a_full_queue_and_a_slow_model_are_told_to_callers(tmp_path: Path) -> None:
    code, model = models.slow(tmp_path)
    limits = ["--max-queue", 2, "--max-batch-size", 1, "--timeout-s", 1.0]
    with serving("--model", model, "--code", code, *limits) as server, ThreadPoolExecutor(3) as callers:
        waiting = [callers.submit(_asked, server, at) for at in (1, 2, 3)]
        _until(lambda: server.metric("tidemill_model_queue_length") == 2)
        status, found, headers = _asked(server, 4)
        assert (status, headers["Retry-After"]) == (429, "1")
        assert "wait already" in found["error"]
        assert [one.result(30)[0] for one in waiting] == [504] * 3
        (model / "gate").touch()
        assert _asked(server, 5)[0] == 200
        assert server.metric("tidemill_model_refused_total") == 1
        assert server.metric("tidemill_model_errors_total") == 4
        assert server.stop() == 0


SLEEPY = """
import time
from pathlib import Path

class Model:
    def load(self, folder):
        while not (Path(folder) / "gate").exists():
            time.sleep(0.01)

    def predict(self, inputs):
        return inputs
"""


def test_until_models_are_loaded_it_is_live_and_not_ready(tmp_path: Path) -> None:
    code, model = models.slow(tmp_path)
    (code / "model.py").write_text(SLEEPY)
    with serving("--model", model, "--code", code, wait=False) as server:
        assert server.ask("/v2/health/live")[0] == 200
        assert server.ask("/v2/health/ready")[0] == 503
        assert server.ask("/v2/models/slow/ready")[0] == 503
        status, _, headers = _asked(server, 1)
        assert (status, headers["Retry-After"]) == (503, "1")
        (model / "gate").touch()
        _until(lambda: server.ask("/v2/health/ready")[0] == 200)
        assert _asked(server, 1)[1]["outputs"][0]["data"] == [1]


def test_who_is_told_to_stop_while_loading_ends_at_once(tmp_path: Path) -> None:
    code, model = models.slow(tmp_path)
    (code / "model.py").write_text(SLEEPY)
    with serving("--model", model, "--code", code, wait=False) as server:
        assert server.stop() == 0


def test_a_small_model_takes_little_memory(tmp_path: Path) -> None:
    with serving("--model", models.linear(tmp_path / "linear")) as server:
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
        for _ in range(20):
            assert server.ask("/v2/models/linear/infer", {"inputs": [tensor]})[0] == 200
        taken = psutil.Process(server.process.pid).memory_info().rss / (1 << 20)
    assert taken <= RSS_MAX_MB, f"{taken:.0f} MB"


def test_a_model_says_how_it_wants_to_be_served(tmp_path: Path) -> None:
    facts = {"serving": {"max_batch_size": 2, "instances": 2}, "version": 7, "labels": ["a", "b", "c"]}
    folder = models.linear(tmp_path / "linear", facts=facts)
    with serving("--model", f"other={folder}", "--settings", json.dumps({"other": {"instances": 1}})) as server:
        status, found, _ = server.ask("/v2/models/other/versions/7")
        assert (status, found["parameters"]["labels"]) == (200, ["a", "b", "c"])


@pytest.mark.parametrize(
    ("facts", "arguments", "says"),
    [
        ({"serving": {"speed": 3}}, [], "speed"),
        ({"serving": {"instances": 0}}, [], "instances must be at least 1"),
        (None, ["--timeout-s", "0"], "timeout_s"),
        (None, ["--settings", "nothing.json"], "settings"),
        (None, ["--name", "a/b"], "a/b"),
        (None, ["--code", "nowhere"], "model.py"),
    ],
)
def test_what_cannot_be_served_ends_with_a_reason(
    tmp_path: Path, facts: dict[str, Any] | None, arguments: list[str], says: str
) -> None:
    folder = models.linear(tmp_path / "linear", facts=facts)
    command = [sys.executable, "-m", "tidemill.runtime", "serve", "--port", "0", "--model", str(folder), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert ended.returncode == 1
    assert says in json.loads(ended.stdout.splitlines()[-1])["error"]
    assert "Traceback" not in ended.stderr


def test_numbers_are_counted_for_prometheus(tmp_path: Path) -> None:
    with serving("--model", models.linear(tmp_path / "linear")) as server:
        tensor = {"name": "x", "shape": [2, 4], "datatype": "FP32", "data": np.ones(8).tolist()}
        server.ask("/v2/models/linear/infer", {"inputs": [tensor]})
        server.ask("/v2/models/linear/infer", {})
        server.ask("/predict", [1, 2, 3, 4])
        text = server.ask("/metrics")[1]
        assert 'tidemill_model_requests_total{model="linear",protocol="http",code="200"} 1' in text
        assert 'tidemill_model_requests_total{model="linear",protocol="http",code="400"} 1' in text
        assert 'tidemill_model_requests_total{model="linear",protocol="predict",code="200"} 1' in text
        assert 'tidemill_model_batch_size_bucket{model="linear",le="1"} 1' in text
        assert 'tidemill_model_batch_size_bucket{model="linear",le="2"} 2' in text
        assert 'tidemill_model_latency_seconds_count{model="linear"} 3' in text
        assert "tidemill_server_ready 1" in text


def _asks_on(server: Running, began: threading.Event) -> tuple[int, list[str]]:
    """Asks on kept connections until nobody listens any more: answers, and what went wrong on a connection in use."""
    body = json.dumps({"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]})
    answered, wrong = 0, []
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        is_fresh = True
        try:
            while True:
                connection.request("POST", "/v2/models/linear/infer", body)
                with connection.getresponse() as answer:
                    answer.read()
                    if answer.status != 200:
                        wrong.append(str(answer.status))
                answered, is_fresh = answered + 1, False
                began.set()
                if answer.will_close:
                    break
        except OSError as error:
            if not is_fresh:
                wrong.append(repr(error))
            return answered, wrong
        finally:
            connection.close()


def test_callers_under_way_see_no_error_when_it_ends(tmp_path: Path) -> None:
    folder = models.linear(tmp_path / "linear")
    with serving("--model", folder, "--linger-s", 0.3) as server, ThreadPoolExecutor(6) as callers:
        signs = [threading.Event() for _ in range(6)]
        asking = [callers.submit(_asks_on, server, sign) for sign in signs]
        assert all(sign.wait(20) for sign in signs)
        assert server.stop() == 0
        found = [one.result(30) for one in asking]
    assert [wrong for _, wrong in found] == [[]] * 6
    assert all(answered > 1 for answered, _ in found)


def test_a_call_over_grpc_is_answered_before_the_end(tmp_path: Path) -> None:
    code, model = models.slow(tmp_path)
    with serving("--model", model, "--code", code) as server, ThreadPoolExecutor(1) as callers:
        given = grpc_client.InferInput("x", [1, 1], "FP32")
        given.set_data_from_numpy(np.ones((1, 1), np.float32))
        with grpc_client.InferenceServerClient(server.grpc) as client:
            answer = callers.submit(client.infer, "slow", [given])
            _until(lambda: server.metric("tidemill_model_in_flight") == 1)
            server.process.send_signal(signal.SIGTERM)
            _until(lambda: _is_refusing(server))
            (model / "gate").touch()
            assert answer.result(30).as_numpy("y").tolist() == [[2.0]]
        assert server.process.wait(30) == 0
