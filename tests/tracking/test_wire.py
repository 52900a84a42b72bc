"""What MLflow's client sends, and what it gets."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.conftest import Api
from tests.tracking.conftest import Logger, token_for
from tidemill.tracking.tidying import Tidying, clear_project
from tidemill.training.tables import ChunkRow, ExperimentRow, RunRow, SeriesRow

pytestmark = pytest.mark.both_databases


def test_every_value_is_kept_and_the_newest_of_the_last_step_counts(logger: Logger) -> None:
    run = logger.run(logger.experiment("lr"))
    for step, value, at_ms in ((0, 0.5, 10), (0, 0.7, 20), (3, 0.2, 30), (1, 0.9, 40), (3, 0.2, 30)):
        logger.post("runs/log-metric", run_id=run, key="acc", value=value, timestamp=at_ms, step=step)
    history = logger.get("metrics/get-history", run_id=run, metric_key="acc")["metrics"]
    assert [(point["step"], point["value"]) for point in history] == [(0, 0.5), (0, 0.7), (1, 0.9), (3, 0.2)]
    (metric,) = logger.get("runs/get", run_id=run)["run"]["data"]["metrics"]
    assert metric == {"key": "acc", "value": 0.2, "timestamp": 30, "step": 3}


def test_long_curves_fill_stretch_after_stretch_and_come_back_in_pages(logger: Logger) -> None:
    run = logger.run(logger.experiment("long"))
    for first in (0, 900, 1800):
        points = [{"key": "loss", "value": n / 7, "timestamp": n, "step": n} for n in range(first, first + 900)]
        logger.post("runs/log-batch", run_id=run, metrics=points)
    token, steps = None, []
    while token != "":
        page = logger.get(
            "metrics/get-history", run_id=run, metric_key="loss", max_results=1000, page_token=token or ""
        )
        steps += [point["step"] for point in page["metrics"]]
        token = page.get("next_page_token", "")
    assert steps == list(range(2700))


def test_what_is_no_number_comes_back_as_it_was(logger: Logger, api: Api) -> None:
    run = logger.run(logger.experiment("odd"))
    for key, value in (("a", "NaN"), ("b", "Infinity"), ("c", "-Infinity")):
        logger.post("runs/log-metric", run_id=run, key=key, value=value, timestamp=1)
    found = {m["key"]: m["value"] for m in logger.get("runs/get", run_id=run)["run"]["data"]["metrics"]}
    assert found == {"a": "NaN", "b": "Infinity", "c": "-Infinity"}
    assert api.admin.ok("get", f"/projects/tides/runs/{run}")["metrics"] == {"a": None, "b": None, "c": None}


@pytest.mark.parametrize("value", [0.1 + 0.2, -1e300, 7, "NaN", "Infinity", "-Infinity"])
def test_a_single_value_is_kept_as_exactly_as_many(logger: Logger, api: Api, value: float | str) -> None:
    run = logger.run(logger.experiment("single"))

    def history() -> list[tuple[int, float | str, int]]:
        points = logger.get("metrics/get-history", run_id=run, metric_key="end")["metrics"]
        return [(point["step"], point["value"], point["timestamp"]) for point in points]

    first = {"key": "end", "value": value, "timestamp": 17, "step": -4}
    logger.post("runs/log-batch", run_id=run, metrics=[first])
    assert history() == [(-4, value, 17)]
    with api.app.state.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(ChunkRow)) == 0
    logger.post("runs/log-batch", run_id=run, metrics=[first, {**first, "value": 3.5, "step": -9}])
    assert history() == [(-9, 3.5, 17), (-4, value, 17)]
    logger.post("runs/log-metric", run_id=run, key="end", value=1.5, timestamp=18, step=2)
    assert history() == [(-9, 3.5, 17), (-4, value, 17), (2, 1.5, 18)]
    drawn = api.admin.ok("get", f"/projects/tides/runs/{run}/metrics")["series"]
    assert [(curve["key"], curve["count"]) for curve in drawn] == [("end", 4)]


def test_a_batch_is_kept_as_a_whole_or_not_at_all(logger: Logger) -> None:
    run = logger.run(logger.experiment("whole"))
    logger.log(run, lr=0.1)
    refused = logger.refused(
        "runs/log-batch",
        run_id=run,
        metrics=[{"key": "loss", "value": 1.0, "timestamp": 1, "step": 0}],
        params=[{"key": "lr", "value": "0.2"}],
        tags=[{"key": "a", "value": "b"}],
    )
    data = logger.get("runs/get", run_id=run)["run"]["data"]
    assert refused == "INVALID_PARAMETER_VALUE"
    assert data["metrics"] == []
    assert [tag["key"] for tag in data["tags"]] == ["mlflow.runName"]
    logger.log(run, lr=0.1)  # the same again is no change


def test_runs_are_found_by_filters_and_sorted_by_anything(logger: Logger) -> None:
    experiment = logger.experiment("found")
    for number, (acc, lr) in enumerate(((0.9, "0.1"), (0.5, "0.01"), (0.7, "10"))):
        run = logger.run(experiment, run_name=f"r{number}", start_time=number, tags=[{"key": "Team", "value": "Blue"}])
        logger.log(run, {"acc": acc}, lr=lr)
    logger.run(experiment, run_name="bare", start_time=9)
    assert logger.search(experiment) == ["bare", "r2", "r1", "r0"]
    assert logger.search(experiment, order_by=["metrics.acc DESC"]) == ["r0", "r2", "r1", "bare"]
    assert logger.search(experiment, order_by=["metrics.acc"]) == ["r1", "r2", "r0", "bare"]
    assert logger.search(experiment, order_by=["params.lr ASC"]) == ["r1", "r0", "r2", "bare"]
    assert logger.search(experiment, order_by=["tags.Team", "start_time DESC"]) == ["r2", "r1", "r0", "bare"]
    assert logger.search(experiment, filter="metrics.acc > 0.6 AND params.lr != '10'") == ["r0"]
    assert logger.search(experiment, filter="tags.Team LIKE 'B%'") == ["r2", "r1", "r0"]
    assert logger.search(experiment, filter="tags.Team LIKE 'b%'") == []
    assert logger.search(experiment, filter="tags.Team ILIKE 'b%' AND run_name IN ('r0', 'r1')") == ["r1", "r0"]
    assert logger.search(experiment, filter="params.lr IS NULL AND status = 'RUNNING'") == ["bare"]
    assert logger.refused("runs/search", experiment_ids=[experiment], filter="acc > 1") == "INVALID_PARAMETER_VALUE"


@pytest.mark.parametrize("order", [["metrics.acc DESC"], ["metrics.acc"], [], ["metrics.acc DESC", "start_time"]])
def test_pages_hold_every_run_once_whatever_they_are_sorted_by(logger: Logger, order: list[str]) -> None:
    experiment = logger.experiment("pages")
    made = []
    for number in range(9):
        made.append(logger.run(experiment, start_time=number))
        if number % 3:
            logger.log(made[-1], {"acc": number % 2})
    seen: list[str] = []
    token = None
    while token != "":
        wanted = {"experiment_ids": [experiment], "order_by": order, "max_results": 2, "page_token": token}
        page = logger.post("runs/search", **{key: value for key, value in wanted.items() if value})
        seen += [run["info"]["run_id"] for run in page["runs"]]
        token = page.get("next_page_token", "")
    assert sorted(seen) == sorted(made)


def test_the_data_a_run_read_is_kept_and_searched_by(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("data")
    run = logger.run(experiment, run_name="reader")
    used = {
        "tags": [{"key": "mlflow.data.context", "value": "training"}],
        "dataset": {"name": "boats", "digest": "abc", "source_type": "local", "source": "{}"},
    }
    logger.post("runs/log-inputs", run_id=run, datasets=[used])
    assert logger.get("runs/get", run_id=run)["run"]["inputs"]["dataset_inputs"][0]["dataset"]["name"] == "boats"
    assert logger.search(experiment, filter="dataset.name = 'boats' AND dataset.context = 'training'") == ["reader"]
    assert logger.search(experiment, filter="dataset.digest = 'x'") == []
    assert api.admin.ok("get", f"/projects/tides/runs/{run}")["datasets"][0]["context"] == "training"


def test_a_token_of_a_project_needs_no_project_in_the_address_and_another_one_does(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("here")
    short = Logger(api.app, token_for(api, "tides"), "/api/2.0/mlflow")
    assert short.get("experiments/get", experiment_id=experiment)["experiment"]["name"] == "here"
    wide = api.admin.ok("post", "/me/tokens", json={"name": "wide"})["token"]
    answer = Logger(api.app, wide, "/api/2.0/mlflow").call("GET", "experiments/get", params={"experiment_id": "0"})
    assert answer.status_code == 403
    assert "/p/<project>" in answer.json()["message"]


def test_projects_do_not_see_each_others_runs_experiments_and_files(logger: Logger, api: Api) -> None:
    api.project("others")
    experiment = logger.experiment("mine")
    run = logger.run(experiment)
    stranger = Logger(api.app, token_for(api, "others"), "/p/others/api/2.0/mlflow")
    place = f"/p/others/api/2.0/mlflow-artifacts/artifacts/{experiment}/{run}/artifacts/x.txt"
    assert stranger.refused("runs/log-metric", run_id=run, key="a", value=1, timestamp=1) == "RESOURCE_DOES_NOT_EXIST"
    assert stranger.refused("runs/create", experiment_id=experiment) == "RESOURCE_DOES_NOT_EXIST"
    assert stranger.call("GET", "runs/get", params={"run_id": run}).status_code == 404
    assert stranger.search(experiment) == []
    assert stranger.http.put(place, content=b"x").status_code == 404


def test_whoever_may_only_read_logs_nothing(logger: Logger, api: Api) -> None:
    run = logger.run(logger.experiment("closed"))
    reader = Logger(api.app, token_for(api, "tides", scopes=["project.read", "training.read"]))
    assert reader.refused("runs/log-metric", run_id=run, key="a", value=1, timestamp=1) == "PERMISSION_DENIED"
    assert reader.get("runs/get", run_id=run)["run"]["info"]["run_id"] == run


def test_a_token_that_is_voided_and_a_right_that_is_taken_away_end_at_once(logger: Logger, api: Api) -> None:
    run = logger.run(logger.experiment("e"))
    ann = api.user("ann", project="tides")
    made = ann.ok("post", "/me/tokens", json={"name": "own", "project": "tides"})
    hers = Logger(api.app, made["token"])
    hers.log(run, {"loss": 1.0})
    (member,) = (one for one in api.admin.ok("get", "/projects/tides/members")["items"] if one["name"] == "ann")
    api.admin.ok("patch", f"/projects/tides/members/{member['id']}", json={"role": "viewer"})
    assert hers.refused("runs/log-parameter", run_id=run, key="a", value="1") == "PERMISSION_DENIED"
    ann.ok("delete", f"/me/tokens/{made['id']}")
    assert hers.refused("runs/log-parameter", run_id=run, key="a", value="1") == "UNAUTHENTICATED"
    assert logger.get("runs/get", run_id=run)["run"]["data"].get("params", []) == []


def test_the_curves_of_a_run_of_the_platform_are_its_own(logger: Logger, api: Api) -> None:
    api.admin.ok("post", "/projects/tides/tasks", json={"name": "net", "command": "true", "parameters": {"lr": 0.1}})
    started = api.admin.ok("post", "/projects/tides/tasks/net/start")
    assert started["experiment"] == "net"
    run = started["id"]
    assert logger.refused("runs/log-metric", run_id=run, key="a", value=1, timestamp=1) == "PERMISSION_DENIED"
    logger.post("runs/set-tag", run_id=run, key="reviewed", value="yes")
    logger.post("runs/update", run_id=run, status="FINISHED")
    found = logger.get("runs/get", run_id=run)["run"]
    assert found["info"]["status"] == "SCHEDULED", "it is as what runs is, whatever is said of it"
    assert found["data"]["params"] == [{"key": "lr", "value": "0.1"}]
    assert api.admin.ok("get", f"/projects/tides/runs/{run}")["tags"] == {"reviewed": "yes"}


def test_what_was_deleted_comes_back_with_its_runs_until_its_time_is_over(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("short-lived")
    runs = [logger.run(experiment) for _ in range(2)]
    logger.post("runs/delete", run_id=runs[0])
    assert len(logger.search(experiment)) == 1
    logger.post("experiments/delete", experiment_id=experiment)
    assert logger.refused("runs/create", experiment_id=experiment) == "INVALID_STATE"
    assert logger.refused("experiments/create", name="short-lived") == "RESOURCE_ALREADY_EXISTS"
    logger.post("experiments/restore", experiment_id=experiment)
    assert len(logger.search(experiment)) == 1
    logger.post("runs/restore", run_id=runs[0])
    assert len(logger.search(experiment)) == 2
    assert api.admin.ok("get", f"/projects/tides/experiments/{experiment}")["runs_count"] == 2
    logger.post("experiments/delete", experiment_id=experiment)
    now = api.app.state.clock()
    tidying = Tidying(api.app.state.db, bin_days=30)
    tidying.purge(now + timedelta(days=29))
    assert api.admin.ok("get", "/projects/tides/experiments?deleted=true")["total"] == 1
    tidying.purge(now + timedelta(days=31))
    with api.app.state.db.read() as session:
        left = [session.scalar(sa.select(sa.func.count()).select_from(t)) for t in (ExperimentRow, RunRow, SeriesRow)]
    assert left == [0, 0, 0]


def test_files_are_sent_listed_fetched_and_gone_with_their_run(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("files")
    run = logger.run(experiment)
    root = f"{experiment}/{run}/artifacts"
    place = f"/p/tides/api/2.0/mlflow-artifacts/artifacts/{root}"
    for path in ("model/weights.bin", "model/MLmodel", "notes.txt"):
        assert logger.http.put(f"{place}/{path}", content=path.encode()).status_code == 200
    assert logger.http.put(f"{place}/../../x", content=b"x").status_code in {404, 422}
    listed = logger.http.get("/p/tides/api/2.0/mlflow-artifacts/artifacts", params={"path": f"{root}/model"}).json()
    assert [file["path"] for file in listed["files"]] == ["MLmodel", "weights.bin"]
    assert logger.http.get(f"{place}/model/MLmodel").content == b"model/MLmodel"
    shown = api.admin.ok("get", f"/projects/tides/runs/{run}/logged")
    assert [(file["name"], file["type"]) for file in shown["items"]] == [("model", "dir"), ("notes.txt", "file")]
    assert api.admin.get(f"/projects/tides/runs/{run}/logged/notes.txt").content == b"notes.txt"
    assert api.admin.ok("get", "/projects/tides")["storage_used_bytes"] > 0
    assert api.admin.delete(f"/projects/tides/runs/{run}").status_code == 204
    assert api.admin.ok("get", "/projects/tides")["storage_used_bytes"] == 0


def test_a_registered_version_has_the_files_of_its_source_and_no_more_bytes(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("registry")
    run = logger.run(experiment)
    place = f"{experiment}/{run}/artifacts"
    logger.http.put(f"/p/tides/api/2.0/mlflow-artifacts/artifacts/{place}/model/weights.bin", content=b"12345")
    used = api.admin.ok("get", "/projects/tides")["storage_used_bytes"]
    logger.post("registered-models/create", name="boat")
    source = f"mlflow-artifacts:/{place}/model"
    made = logger.post("model-versions/create", name="boat", source=source, run_id=run)["model_version"]
    assert (made["version"], made["status"], made["run_id"]) == ("1", "READY", run)
    files = api.admin.ok("get", "/projects/tides/models/boat/versions/1/tree")["items"]
    assert [file["path"] for file in files] == ["weights.bin"]
    assert api.admin.ok("get", "/projects/tides")["storage_used_bytes"] - used < 1000, "only the manifest came"
    logger.post("registered-models/alias", name="boat", alias="best", version="1")
    found = logger.get("registered-models/alias", name="boat", alias="best")["model_version"]
    assert found["aliases"] == ["best"]
    uri = logger.get("model-versions/get-download-uri", name="boat", version="1")["artifact_uri"]
    address = uri.removeprefix("mlflow-artifacts:/")
    answer = logger.http.get(f"/p/tides/api/2.0/mlflow-artifacts/artifacts/{address}/weights.bin")
    assert answer.content == b"12345"
    assert logger.refused("model-versions/create", name="boat", source="s3://bucket/x") == "INVALID_PARAMETER_VALUE"


def test_a_project_that_ends_takes_its_logged_files_along(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("end")
    run = logger.run(experiment)
    logger.http.put(f"/p/tides/api/2.0/mlflow-artifacts/artifacts/{experiment}/{run}/artifacts/a", content=b"a")
    clear_project(api.app.state.db, api.admin.ok("get", "/projects/tides")["id"])
    assert api.admin.ok("get", f"/projects/tides/runs/{run}")["files_count"] == 0


def test_calls_that_are_not_understood_say_so(logger: Logger) -> None:
    assert logger.call("POST", "traces", json={}).json()["error_code"] == "RESOURCE_DOES_NOT_EXIST"
    assert logger.call("POST", "runs/create", content=b"{").json()["error_code"] == "INVALID_PARAMETER_VALUE"
    assert logger.refused("runs/log-metric", run_id="x", key="a", timestamp=1) == "INVALID_PARAMETER_VALUE"
