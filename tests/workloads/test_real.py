"""A workload as users have them: a real server, the real engine, files in, a model out, its token in between."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workloads.stage import Stage, open_stage
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.service import Input, Output, Wanted

# What it may and may not do with its token is printed; what it makes of its input is left behind.
PROGRAM = """
import os, pathlib, urllib.error, urllib.request
def ask(path):
    request = urllib.request.Request(os.environ["TIDEMILL_URL"] + "/api/v1/" + path)
    request.add_header("Authorization", "Bearer " + os.environ["TIDEMILL_TOKEN"])
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as refused:
        return refused.code
place = "projects/" + os.environ["TIDEMILL_PROJECT"]
print("own", ask(place + "/workloads/" + os.environ["TIDEMILL_WORKLOAD_ID"]))
print("beyond its scopes", ask(place + "/models"))
print("another project", ask("projects/other/workloads"))
print("the platform", ask("users"))
code = pathlib.Path("algorithm/steps/train.py").read_text()
out = pathlib.Path("persistent-model")
out.mkdir(exist_ok=True)
(out / "weights.txt").write_text(code.upper())
raise SystemExit(3)
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder: Path = tmp_path_factory.mktemp("real")
    with open_stage(folder / "home") as made:
        yield made


@pytest.mark.slow
def test_files_in_a_model_out_and_a_token_that_is_good_for_no_more_than_it_says(stage: Stage) -> None:
    stage.http.post("projects", json={"name": "other"}).raise_for_status()
    stage.http.post("projects/tides/algorithms", json={"name": "steps", "scene": "other"}).raise_for_status()
    version = stage.http.post("projects/tides/algorithms/steps/versions", json={}).json()["id"]
    place = "projects/tides/algorithms/steps/versions/1"
    stage.http.put(f"{place}/files/train.py", content=b"high tide").raise_for_status()
    wanted = Wanted(
        kind="test",
        owner_id="own",
        name="train",
        command=("python", "-c", PROGRAM),
        spec="tiny",
        inputs=(Input(version, "algorithm/steps", "copy"),),
        outputs=(Output("persistent-model", "tide-net"),),
        token_scopes=("workload.read",),
    )
    (workload,) = stage.submit([wanted])
    stage.until(lambda: stage.rows([workload])[0].state in FINAL)
    log = stage.http.get(f"projects/tides/workloads/{workload}/logs").json()["text"]
    assert log.splitlines() == ["own 200", "beyond its scopes 403", "another project 404", "the platform 403"]
    (row,) = stage.rows([workload])
    assert (row.state, row.stop_reason, row.exit_code) == ("failed", "exit_code", 3)
    stage.until(lambda: stage.rows([workload])[0].outputs_state == "done")
    kept = stage.http.get("projects/tides/models/tide-net/versions/1/files/weights.txt")
    assert kept.content == b"HIGH TIDE"
    lineage = stage.http.get("projects/tides/models/tide-net/versions/1/lineage").json()
    assert "steps" in str(lineage)


@pytest.mark.slow
def test_a_time_limit_is_kept_and_told(stage: Stage) -> None:
    wanted = Wanted(kind="test", owner_id="own", name="long", command=("sleep", "600"), spec="tiny", time_limit_s=0.5)
    (workload,) = stage.submit([wanted])
    stage.until(lambda: stage.rows([workload])[0].state in FINAL)
    (row,) = stage.rows([workload])
    assert (row.state, row.stop_reason) == ("stopped", "time_limit")
