"""Experiments and their tables, over the platform's own API."""

from typing import Any

from tests.conftest import Api
from tests.tracking.conftest import Logger


def rows(api: Api, experiment: str, **query: Any) -> list[str]:
    page = api.admin.ok("get", f"/projects/tides/experiments/{experiment}/runs", params=query)
    return [run["name"] for run in page["items"]]


def test_a_run_from_outside_is_made_logged_to_and_ended(logger: Logger, api: Api) -> None:
    body = {"experiment": "mine/lr", "parameters": {"lr": 0.1, "deep": True}, "tags": {"a": "b"}}
    made = api.admin.ok("post", "/projects/tides/runs", json=body)
    assert (made["state"], made["task"], made["workload_id"], made["experiment"]) == ("running", None, None, "mine/lr")
    run = f"/projects/tides/runs/{made['id']}"
    points = [{"key": "loss", "value": 1 / step, "step": step} for step in (1, 2)]
    api.admin.ok("post", f"{run}/metrics", json={"points": points})
    assert api.admin.ok("get", f"{run}/metrics")["is_over"] is False
    ended = api.admin.ok("patch", run, json={"state": "completed", "tags": {"a": None, "c": "d"}, "name": "best"})
    assert (ended["state"], ended["name"], ended["metrics"]) == ("completed", "best", {"loss": 0.5})
    assert ended["tags"] == {"c": "d", "mlflow.runName": "best"}
    assert api.admin.ok("get", f"{run}/metrics")["is_over"] is True
    assert logger.search(made["experiment_id"], filter="metrics.loss < 1 AND params.deep = 'true'") == ["best"]
    assert api.admin.post(f"{run}/stop").json()["error"]["code"] == "run_from_outside"
    assert api.admin.get(f"{run}/files").json()["error"]["code"] == "run_from_outside"


def test_the_table_sorts_parameters_as_numbers_and_names_what_runs_have(logger: Logger, api: Api) -> None:
    experiment = logger.experiment("table")
    for name, lr in (("a", "10"), ("b", "9"), ("c", "auto")):
        logger.log(logger.run(experiment, run_name=name), {"acc": float(len(lr))}, lr=lr)
    assert rows(api, experiment, order_by="params.lr ASC", as_numbers=True) == ["b", "a", "c"]
    assert rows(api, experiment, order_by="params.lr ASC") == ["a", "b", "c"]
    assert rows(api, experiment, filter="params.lr != 'auto'", order_by="metrics.acc DESC") == ["a", "b"]
    keys = api.admin.ok("get", f"/projects/tides/experiments/{experiment}/keys")
    assert (keys["metrics"], keys["parameters"], keys["tags"]) == (["acc"], ["lr"], ["mlflow.runName"])
    refused = api.admin.get(f"/projects/tides/experiments/{experiment}/runs", params={"filter": "acc >"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "filter")


def test_an_experiment_is_made_renamed_put_away_and_brought_back(logger: Logger, api: Api) -> None:
    made = api.admin.ok("post", "/projects/tides/experiments", json={"name": "学习率 / 1", "tags": {"a": "b"}})
    place = f"/projects/tides/experiments/{made['id']}"
    assert api.admin.ok("patch", place, json={"name": "other", "description": "why"})["description"] == "why"
    api.admin.ok("post", "/projects/tides/experiments", json={"name": "taken"})
    assert api.admin.patch(place, json={"name": "taken"}).status_code == 409
    run = logger.run(made["id"])
    assert api.admin.delete(place).status_code == 204
    assert api.admin.get(f"/projects/tides/runs/{run}").status_code == 404
    assert api.admin.ok("post", f"{place}/restore")["runs_count"] == 1
    assert api.admin.ok("get", f"/projects/tides/runs/{run}")["id"] == run
    listed = api.admin.ok("get", "/projects/tides/experiments", params={"name": "other"})
    assert [one["id"] for one in listed["items"]] == [made["id"]]


def test_a_task_whose_runs_are_put_away_can_go_and_they_go_with_it(logger: Logger, api: Api) -> None:
    api.admin.ok("post", "/projects/tides/tasks", json={"name": "net", "command": "true"})
    run = api.admin.ok("post", "/projects/tides/tasks/net/start")
    place = f"/projects/tides/experiments/{run['experiment_id']}"
    assert api.admin.delete(place).json()["error"]["code"] == "experiment_has_running"
    api.admin.ok("post", f"/projects/tides/runs/{run['id']}/stop")
    assert api.admin.delete(place).status_code == 204
    assert api.admin.delete("/projects/tides/tasks/net").status_code == 204
    assert logger.call("GET", "runs/get", params={"run_id": run["id"]}).status_code == 404
