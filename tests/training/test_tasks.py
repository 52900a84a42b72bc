"""Tasks over HTTP, on both databases; nothing runs here."""

from typing import Any

import pytest

from tests.conftest import Api, Person

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"command": " \n "}, "command", "task_command_blank"),
    ({"command": "x" * 3001}, "command", "field_too_long"),
    ({"algorithm": "nowhere"}, "algorithm", "reference_unknown"),
    ({"models": ["nowhere@2"]}, "models", "reference_unknown"),
    ({"inputs": ["net"]}, "inputs", "reference_kind"),
    ({"spec": "enormous"}, "spec", "spec_unknown"),
    ({"nodes": 0}, "nodes", "number_too_small"),
    ({"environment": {"1A": "x"}}, "environment", "task_variable_name"),
    ({"environment": {"TIDEMILL_TOKEN": "x"}}, "environment", "task_variable_ours"),
    ({"window": {"start": "22:00", "end": "22:00"}}, "window", "task_window_empty"),
    ({"window": {"start": "22:00", "end": "6:00"}}, "window.end", "field_pattern"),
    ({"window": {"start": "22:00", "end": "06:00", "zone": "Moon/Base"}}, "window.zone", "task_zone_unknown"),
    ({"save_model": "a/b"}, "save_model", "name_forbidden"),
    ({"launcher": "ssh"}, "launcher", "field_choice"),
]


@pytest.fixture
def project(api: Api) -> str:
    return f"/projects/{api.project()}"


@pytest.fixture
def ann(api: Api, project: str) -> Person:
    return api.user("ann", project=project.rpartition("/")[2])


def make(person: Person, project: str, name: str = "resnet", **settings: Any) -> dict[str, Any]:
    body = {"name": name, "command": "python train.py", **settings}
    made: dict[str, Any] = person.ok("post", f"{project}/tasks", json=body)
    return made


def add_algorithm(person: Person, project: str, name: str) -> None:
    person.ok("post", f"{project}/algorithms", json={"name": name, "scene": "other"})
    person.ok("post", f"{project}/algorithms/{name}/versions", json={})


def refused(answer: Any, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    return error


def test_a_task_comes_back_as_it_was_made(ann: Person, project: str) -> None:
    add_algorithm(ann, project, "net")
    settings = {
        "algorithm": "net@1",
        "nodes": 1,
        "launcher": "torchrun",
        "processes_per_node": 2,
        "save_model": "out",
        "priority": "high",
        "preemptible": True,
        "retries": 3,
        "time_limit_s": 60.0,
        "window": {"start": "22:00", "end": "06:00", "zone": "Asia/Shanghai"},
        "environment": {"WORD": "tide"},
        "parameters": {"lr": 0.1, "deep": True, "note": "潮"},
    }
    made = make(ann, project, **settings)
    assert made == ann.ok("get", f"{project}/tasks/resnet")
    assert {name: made[name] for name in settings} == settings
    assert (made["runs_count"], made["last_run"], made["created_by"]) == (0, None, "ann")


def test_a_wrong_setting_is_named_with_its_rule(ann: Person, project: str) -> None:
    for wrong, field, code in WRONG:
        error = refused(ann.post(f"{project}/tasks", json={"name": "resnet", "command": "true", **wrong}), 422)
        assert error["field"] == field, wrong
        assert code in (error["code"], (error.get("details") or [{}])[0].get("code")), wrong


def test_names_are_unique_whatever_their_case(ann: Person, project: str) -> None:
    make(ann, project, "ResNet")
    answer = ann.post(f"{project}/tasks", json={"name": "resnet", "command": "true"})
    assert refused(answer, 409)["code"] == "name_taken"


def test_a_change_of_one_setting_leaves_the_others(ann: Person, project: str) -> None:
    make(ann, project, retries=2, parameters={"lr": 0.1}, time_limit_s=9.0)
    changed = ann.ok(
        "patch", f"{project}/tasks/resnet", json={"name": "resnet50", "nodes": 1, "time_limit_s": None, "retries": 1}
    )
    assert (changed["name"], changed["retries"], changed["time_limit_s"]) == ("resnet50", 1, None)
    assert changed["parameters"] == {"lr": 0.1}
    answer = ann.patch(f"{project}/tasks/resnet50", json={"retries": -1})
    assert refused(answer, 422)["field"] == "retries"
    assert refused(ann.patch(f"{project}/tasks/resnet50", json={"command": None}), 422)["field"] == "command"


def test_a_copy_is_a_task_of_its_own(ann: Person, project: str) -> None:
    make(ann, project, parameters={"lr": 0.1})
    copied = ann.ok("post", f"{project}/tasks/resnet/copy", json={"name": "again"})
    assert copied["parameters"] == {"lr": 0.1}
    ann.ok("delete", f"{project}/tasks/resnet")
    assert ann.ok("get", f"{project}/tasks/again")["id"] == copied["id"]


def test_lists_are_searched_sorted_and_paged(ann: Person, project: str) -> None:
    for name in ("b", "a", "c", "other"):
        make(ann, project, name)
    first = ann.ok("get", f"{project}/tasks", params={"sort": "name", "limit": 2})
    rest = ann.ok("get", f"{project}/tasks", params={"sort": "name", "limit": 2, "cursor": first["next"]})
    assert [task["name"] for task in first["items"] + rest["items"]] == ["a", "b", "c", "other"]
    assert first["total"] == 4
    assert [task["name"] for task in ann.ok("get", f"{project}/tasks", params={"q": "OTH"})["items"]] == ["other"]


def test_people_can_see_only_the_tasks_they_made(ann: Person, api: Api, project: str) -> None:
    make(ann, project, "hers")
    make(api.admin, project, "not hers")
    assert ann.ok("get", f"{project}/tasks")["total"] == 2
    assert [task["name"] for task in ann.ok("get", f"{project}/tasks?mine=true")["items"]] == ["hers"]


def test_a_start_is_a_run_with_the_versions_pinned(ann: Person, project: str) -> None:
    add_algorithm(ann, project, "net")
    task = make(ann, project, algorithm="net")
    run = ann.ok("post", f"{project}/tasks/resnet/start")
    assert (run["name"], run["number"], run["state"], run["status"]) == ("resnet-1", 1, "pending", "pending")
    assert run["settings"]["algorithm"] == "net@1"
    assert run["workload"]["kind"] == "run"
    ann.ok("post", f"{project}/tasks/resnet/start", json={"parameters": {"lr": 1}})
    found = ann.ok("get", f"{project}/tasks/resnet")
    assert (found["runs_count"], found["last_run"]["name"]) == (2, "resnet-2")
    assert task["runs_count"] == 0
    names = [item["name"] for item in ann.ok("get", f"{project}/tasks/resnet/runs")["items"]]
    assert names == ["resnet-2", "resnet-1"]
    assert ann.ok("get", f"{project}/runs", params={"task": "resnet", "state": "running"})["items"] == []
    assert ann.ok("get", f"{project}/runs", params={"q": "RESNET-1"})["total"] == 1


def test_what_waits_is_stopped_at_once_and_then_deleted(ann: Person, project: str) -> None:
    make(ann, project)
    run = ann.ok("post", f"{project}/tasks/resnet/start")
    assert refused(ann.delete(f"{project}/tasks/resnet"), 409)["code"] == "task_has_runs"
    assert refused(ann.delete(f"{project}/runs/{run['id']}"), 409)["code"] == "run_not_ended"
    assert refused(ann.post(f"{project}/runs/{run['id']}/resume"), 409)["code"] == "run_not_ended"
    stopped = ann.ok("post", f"{project}/runs/resnet-1/stop")
    assert (stopped["state"], stopped["stop_reason"]) == ("stopped", "user")
    assert refused(ann.post(f"{project}/runs/resnet-1/resume"), 409)["code"] == "run_no_checkpoint"
    ann.ok("delete", f"{project}/runs/resnet-1")
    assert refused(ann.get(f"{project}/runs/resnet-1"), 404)["code"] == "run_not_found"
    again = ann.ok("post", f"{project}/tasks/resnet/start")
    assert again["number"] == 2, "numbers are not used again"


def test_projects_never_see_each_others_tasks_and_runs(api: Api, ann: Person, project: str) -> None:
    task = make(ann, project)
    run = ann.ok("post", f"{project}/tasks/resnet/start")
    other = f"/projects/{api.project('elsewhere')}"
    bob = api.user("bob", project="elsewhere")
    assert refused(bob.get(f"{project}/tasks"), 404)
    for path in (f"tasks/{task['id']}", "tasks/resnet", f"runs/{run['id']}", f"runs/{run['id']}/metrics"):
        assert refused(bob.get(f"{other}/{path}"), 404)
    answer = bob.get(f"{other}/runs/compare", params={"ids": run["id"]})
    assert refused(answer, 404)["code"] == "run_not_found"


def test_a_viewer_looks_but_does_not_touch(api: Api, ann: Person, project: str) -> None:
    make(ann, project)
    eve = api.user("eve", project=project.rpartition("/")[2], role="viewer")
    assert eve.ok("get", f"{project}/tasks")["total"] == 1
    for verb, path in (("post", "tasks/resnet/start"), ("delete", "tasks/resnet"), ("patch", "tasks/resnet")):
        body = {} if verb == "delete" else {"json": {}}
        assert refused(getattr(eve, verb)(f"{project}/{path}", **body), 403)


def test_nobody_but_the_run_itself_draws_in_its_curves(ann: Person, project: str) -> None:
    make(ann, project)
    run = ann.ok("post", f"{project}/tasks/resnet/start")
    answer = ann.post(f"{project}/runs/{run['id']}/metrics", json={"points": [{"key": "loss", "value": 1}]})
    assert refused(answer, 403)["code"] == "metrics_not_own_run"


def test_everything_done_is_in_the_audit_log_without_secrets(api: Api, ann: Person, project: str) -> None:
    make(ann, project, environment={"PASSWORD": "hunter2"})
    ann.ok("post", f"{project}/tasks/resnet/start")
    ann.ok("post", f"{project}/runs/resnet-1/stop")
    log = api.admin.ok("get", f"{project}/audit")["items"]
    actions = {entry["action"] for entry in log}
    assert {"task.create", "run.start", "run.stop"} <= actions
    assert "hunter2" not in str(log)
