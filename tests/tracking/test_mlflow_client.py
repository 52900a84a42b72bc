"""The real MLflow client, unchanged, against a real server; and our own `start_run` beside it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import ADMIN_PASSWORD, live_server
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


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("tracking")
    with live_server(folder / "home") as server, Client(server.url, project="tides") as visitor:
        visitor.sign_in("admin", ADMIN_PASSWORD)
        visitor.projects.create("tides")
        token = visitor.tokens.create("scripts", project="tides").token
        assert token is not None
        with Client(server.url, token=token, project="tides") as made:
            made.folder = folder  # type: ignore[attr-defined]
            made.token = token  # type: ignore[attr-defined]
            yield made


def run_script(client: Client, script: str) -> str:
    folder: Path = client.folder  # type: ignore[attr-defined]
    token: str = client.token  # type: ignore[attr-defined]
    (folder / "weights.bin").write_bytes(b"12345")
    surroundings = {
        "MLFLOW_TRACKING_URI": client.url,
        "MLFLOW_TRACKING_TOKEN": token,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
        "TIDEMILL_URL": client.url,
        "TIDEMILL_TOKEN": token,
        "TIDEMILL_PROJECT": "tides",
        "HOME": str(folder),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **surroundings}, cwd=folder, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_mlflow_client_works_unchanged(client: Client) -> None:
    run_script(client, SCRIPT)
    experiment = client.experiments.get("learning rates")
    rows = list(client.experiments.runs(experiment.id, order_by=["metrics.acc DESC"]))
    assert [row.name for row in rows] == ["first", "child"]
    assert rows[0].parameters == {"lr": "0.1", "depth": "3"}
    assert rows[1].tags["mlflow.parentRunId"] == rows[0].id
    assert client.models.get("boat").latest_version == 1


def test_our_own_package_logs_from_anywhere_too(client: Client) -> None:
    run_id = run_script(client, OWN).strip()
    run = client.runs.get(run_id)
    assert (run.state, run.metrics, run.parameters["lr"]) == ("completed", {"loss": 0.5}, "0.3")
    assert [file.path for file in client.runs.logged_files(run_id, "out")] == ["out/weights.bin"]
