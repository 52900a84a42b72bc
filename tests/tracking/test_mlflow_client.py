"""Against a real server: the real MLflow client, unchanged; our own `start_run`; runs of the platform; kills."""

import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tidemill.sdk import Client

pytest.importorskip("mlflow", reason="the MLflow client is not installed")

SCRIPT = """
import mlflow
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag, ViewType

experiment = mlflow.set_experiment("learning rates")
with mlflow.start_run(run_name="first", tags={"team": "blue"}) as run:
    mlflow.log_params({"lr": 0.1, "depth": 3})
    for step in range(5):
        mlflow.log_metric("loss", 1 / (step + 1), step=step)
    mlflow.log_text("hello", "notes/a.txt")
    mlflow.log_dict({"a": 1}, "model/MLmodel")
    with mlflow.start_run(nested=True, run_name="child"):
        mlflow.log_metric("loss", 0.1)

client = MlflowClient()
run_id = run.info.run_id
found = client.get_run(run_id)
assert found.info.status == "FINISHED", found.info
assert found.data.params == {"lr": "0.1", "depth": "3"}, found.data.params
assert found.data.metrics == {"loss": 0.2}
assert [(p.step, p.value) for p in client.get_metric_history(run_id, "loss")][1] == (1, 0.5)
client.log_batch(run_id, metrics=[Metric("acc", n / 10, n, n) for n in range(10)], tags=[RunTag("x", "y")])
names = [r.info.run_name for r in client.search_runs([experiment.experiment_id], order_by=["metrics.loss ASC"])]
assert names == ["child", "first"], names
assert len(mlflow.search_runs(filter_string="params.depth = '3' and metrics.acc > 0.5", output_format="list")) == 1
assert sorted(f.path for f in client.list_artifacts(run_id)) == ["model", "notes"]
assert mlflow.artifacts.load_text(f"runs:/{run_id}/notes/a.txt") == "hello"

version = mlflow.register_model(f"runs:/{run_id}/model", "boat")
client.set_registered_model_alias("boat", "best", version.version)
assert client.get_model_version_by_alias("boat", "best").run_id == run_id
folder = mlflow.artifacts.download_artifacts("models:/boat@best")
assert "MLmodel" in __import__("os").listdir(folder)
assert [m.name for m in client.search_registered_models()] == ["boat"]

model = mlflow.initialize_logged_model(name="net", source_run_id=run_id)
model = mlflow.finalize_logged_model(model.model_id, "READY")
assert mlflow.get_logged_model(model.model_id).status == "READY"
client.delete_run(run_id)
assert len(client.search_runs([experiment.experiment_id], run_view_type=ViewType.DELETED_ONLY)) == 1
client.restore_run(run_id)
"""

OWN = """
import tidemill

with tidemill.start_run(experiment="learning rates", parameters={"lr": 0.3}) as run:
    tidemill.log(loss=0.5, step=1)
    run.log_file("weights.bin", "out/weights.bin")
print(run.id)
"""

IN_A_RUN = """
import json, os, urllib.request

def get(path, body=None):
    head = {"Authorization": "Bearer " + os.environ["MLFLOW_TRACKING_TOKEN"], "Content-Type": "application/json"}
    address = os.environ["MLFLOW_TRACKING_URI"] + "/api/2.0/mlflow/runs/" + path
    return json.load(urllib.request.urlopen(urllib.request.Request(address, body, head)))

def post(path, **body):
    return get(path, json.dumps(body).encode())

run = os.environ["MLFLOW_RUN_ID"]
assert run == os.environ["TIDEMILL_RUN_ID"]
for step in range(3):
    post("log-metric", run_id=run, key="depth", value=step / 2, timestamp=step, step=step)
post("log-parameter", run_id=run, key="shore", value="north")
own = get("get?run_id=" + run)["run"]["info"]
nested = post("create", experiment_id=own["experiment_id"], run_name="nested",
              tags=[{"key": "mlflow.parentRunId", "value": run}])["run"]["info"]["run_id"]
post("log-metric", run_id=nested, key="depth", value=7, timestamp=1)
"""

KILLS = 2
BETWEEN_KILLS = 40
"""Calls that are acknowledged before the next kill."""


@dataclass(frozen=True)
class Place:
    """A server, and somebody with a token for one of its projects."""

    server: LiveServer
    client: Client
    token: str
    folder: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("tracking")
    with live_server(folder / "home") as server, Client(server.url, project="tides") as visitor:
        visitor.sign_in("admin", ADMIN_PASSWORD)
        visitor.projects.create("tides")
        token = visitor.tokens.create("scripts", project="tides").token
        assert token is not None
        with Client(server.url, token=token, project="tides") as client:
            yield Place(server, client, token, folder)


def run_script(place: Place, script: str) -> str:
    (place.folder / "weights.bin").write_bytes(b"12345")
    surroundings = {
        "MLFLOW_TRACKING_URI": place.server.url,
        "MLFLOW_TRACKING_TOKEN": place.token,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
        "TIDEMILL_URL": place.server.url,
        "TIDEMILL_TOKEN": place.token,
        "TIDEMILL_PROJECT": "tides",
        "HOME": str(place.folder),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **surroundings}, cwd=place.folder, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_mlflow_client_works_unchanged(place: Place) -> None:
    run_script(place, SCRIPT)
    client = place.client
    experiment = client.experiments.get("learning rates")
    rows = list(client.experiments.runs(experiment.id, order_by=["metrics.acc DESC"]))
    assert [row.name for row in rows] == ["first", "child"]
    assert rows[0].parameters == {"lr": "0.1", "depth": "3"}
    assert rows[1].tags["mlflow.parentRunId"] == rows[0].id
    assert client.models.get("boat").latest_version == 1


def test_our_own_package_logs_from_anywhere_too(place: Place) -> None:
    run_id = run_script(place, OWN).strip()
    run = place.client.runs.get(run_id)
    assert (run.state, run.metrics, run.parameters["lr"]) == ("completed", {"loss": 0.5}, "0.3")
    assert [file.path for file in place.client.runs.logged_files(run_id, "out")] == ["out/weights.bin"]


def test_a_script_in_a_run_of_the_platform_logs_to_that_run(place: Place) -> None:
    client, folder = place.client, place.folder / "algorithm"
    folder.mkdir()
    (folder / "train.py").write_text(IN_A_RUN)
    client.algorithms.push(folder, "net")
    client.tasks.create("inside", "python train.py", algorithm="net")
    client.tasks.create(
        "elsewhere",
        'test -z "$MLFLOW_TRACKING_TOKEN$MLFLOW_RUN_ID"',
        environment={"MLFLOW_TRACKING_URI": "http://127.0.0.1:9"},
    )
    inside, elsewhere = client.tasks.start("inside"), client.tasks.start("elsewhere")
    done = client.runs.wait(inside, timeout_s=180)
    assert done.parameters["shore"] == "north"
    (curve,) = client.runs.metrics(inside.id)
    assert [point[:2] for point in curve.points] == [[0, 0.0], [1, 0.5], [2, 1.0]]
    rows = {row.name: row for row in client.experiments.runs("inside")}
    assert {name: row.metrics["depth"] for name, row in rows.items()} == {inside.name: 1.0, "nested": 7.0}
    # It fails when it is shown the token that is for us.
    client.runs.wait(elsewhere, timeout_s=180)


def test_what_was_acknowledged_is_there_after_every_kill(place: Place) -> None:
    """Two who log without a pause, one by one and in batches, while the server is killed under them."""
    with _logging(place) as http:
        made = _post(http, "experiments/create", name="killed")
        runs = [_post(http, "runs/create", experiment_id=made["experiment_id"])["run"]["info"] for _ in range(2)]
    writers = [_Writer(place, run["run_id"]) for run in runs]
    for _ in range(KILLS):
        threads = [threading.Thread(target=writer.log_until_killed) for writer in writers]
        for thread in threads:
            thread.start()
        for writer in writers:
            assert writer.has_enough.wait(60)
        place.server.kill()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        place.server.start()
        with _logging(place) as http:
            for writer in writers:
                writer.check(http)


class _Writer:
    """Logs to one run, and keeps a list of what it was told is kept."""

    def __init__(self, place: Place, run_id: str) -> None:
        self.place = place
        self.run_id = run_id
        self.numbers = itertools.count()
        self.acknowledged: list[int] = []
        self.unanswered: set[int] = set()
        """What was asked for when the server died: there or not."""
        self.has_enough = threading.Event()

    def log_until_killed(self) -> None:
        self.has_enough.clear()
        enough = len(self.acknowledged) + BETWEEN_KILLS
        with _logging(self.place) as http:
            for number in self.numbers:
                try:
                    self._log(http, number)
                except httpx2.TransportError:
                    self.unanswered.add(number)
                    return
                self.acknowledged.append(number)
                if len(self.acknowledged) >= enough:
                    self.has_enough.set()

    def check(self, http: httpx2.Client) -> None:
        points = http.get("metrics/get-history", params={"run_id": self.run_id, "metric_key": "loss"}).json()["metrics"]
        steps = [point["step"] for point in points]
        must = set(self.acknowledged)
        assert must <= set(steps) <= must | self.unanswered
        assert len(steps) == len(set(steps)), "kept twice"
        assert all(point["value"] == point["step"] / 8 for point in points)
        run = http.get("runs/get", params={"run_id": self.run_id}).json()["run"]["data"]
        # Of a call that died, all is there or nothing.
        assert {one["key"]: one["value"] for one in run["params"]} == {
            f"p{step}": str(step) for step in steps if step % 2
        }

    def _log(self, http: httpx2.Client, number: int) -> None:
        metric = {"key": "loss", "value": number / 8, "timestamp": number, "step": number}
        if number % 2:
            _post(
                http,
                "runs/log-batch",
                run_id=self.run_id,
                metrics=[metric],
                params=[{"key": f"p{number}", "value": str(number)}],
            )
        else:
            _post(http, "runs/log-metric", run_id=self.run_id, **metric)


def _logging(place: Place) -> httpx2.Client:
    address = f"{place.server.url}/api/2.0/mlflow/"
    return httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {place.token}"}, timeout=60)


def _post(http: httpx2.Client, path: str, **body: Any) -> Any:
    answer = http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()
