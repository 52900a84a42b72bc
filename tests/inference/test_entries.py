"""Entries: made, found, changed, copied, deleted; and what is wrong with them said at the field."""

from dataclasses import replace
from typing import Any

from fastapi import FastAPI

from tests.conftest import Person
from tests.datasets.conftest import Desk, code_of
from tests.inference.conftest import AT, House
from tests.models.conftest import put
from tidemill.accounts.access import find_project
from tidemill.gateway.publishing import publish
from tidemill.gateway.schemas import ReplicaRoute, RoutingTable, ServiceRoute, TrackRoute
from tidemill.kernel.clock import utc_now
from tidemill.workloads.tables import WorkloadRow

CODE: dict[str, Any] = {"form": "code", "command": "python infer.py", "datasets": ["colours@1"], "models": ["colours"]}


def test_entries_are_found_by_name_form_scene_and_owner(house: House, ann: Person) -> None:
    house.entry("First")
    house.ada.ok("post", AT, json={"name": "second", "scene": "ocr", "settings": CODE})
    page = house.ada.ok("get", AT, params={"sort": "name"})
    assert [(one["name"], one["form"]) for one in page["items"]] == [("First", "model"), ("second", "code")]
    for given, names in (
        ({"q": "fir"}, ["First"]),
        ({"form": "code"}, ["second"]),
        ({"scene": "ocr"}, ["second"]),
        ({"mine": True, "sort": "name"}, ["First", "second"]),
        ({"state": "pending"}, []),
    ):
        assert [one["name"] for one in house.ada.ok("get", AT, params=given)["items"]] == names
    house.start("First")
    assert [one["name"] for one in house.ada.ok("get", AT, params={"state": "pending"})["items"]] == ["First"]
    first = house.ada.ok("get", AT, params={"limit": 1, "sort": "name"})
    (second,) = house.ada.ok("get", AT, params={"limit": 1, "sort": "name", "cursor": first["next"]})["items"]
    assert second["name"] == "second"


def test_entries_are_copied_changed_and_deleted(house: House) -> None:
    made = house.entry()
    copy = house.ada.ok("post", f"{AT}/looking/copy", json={"name": "again"})
    assert (copy["settings"], copy["runs_count"]) == (made["settings"], 0)
    assert code_of(house.ada.post(f"{AT}/looking/copy", json={"name": "Again"})) == "name_taken"
    changed = house.ada.ok("patch", f"{AT}/again", json={"description": "for us", "settings": CODE})
    assert (changed["description"], changed["form"], changed["settings"]["command"]) == (
        "for us",
        "code",
        CODE["command"],
    )
    house.ada.ok("delete", f"{AT}/again")
    assert code_of(house.ada.get(f"{AT}/again")) == "inference_not_found"
    said = house.ada.get(f"{AT}/again", headers={"Accept-Language": "zh-CN"}).json()["error"]["message"]
    assert said == "此项目中没有名为“again”的批量推理。"


WRONG: list[tuple[dict[str, Any], str | None, str | None]] = [
    ({"dataset": "nobody"}, "reference_unknown", "settings.dataset"),
    ({"source": {"type": "model", "model": "nobody"}}, "reference_unknown", "settings.source.model"),
    ({"source": {"type": "service", "service": "nobody"}}, "inference_service_unknown", "settings.source.service"),
    ({"source": {"type": "service"}}, "inference_service_one", "settings.source"),
    ({"source": {"type": "service", "url": "http://127.0.0.1:1", "model": "m"}}, None, "settings.source.url"),
    ({"spec": "nobody"}, "spec_unknown", "spec"),
    ({"threshold": 2}, "invalid", None),
    ({"workers": 0}, "invalid", None),
    ({**CODE, "command": "x" * 3001}, "invalid", None),
    ({**CODE, "command": " "}, "invalid", None),
]


def test_what_is_wrong_is_said_at_the_field(house: House) -> None:
    for given, code, field in WRONG:
        settings = given if "form" in given else house.settings(**given)
        answer = house.ada.post(AT, json={"name": "x", "settings": settings})
        assert answer.status_code in {409, 422}, answer.text
        error = answer.json()["error"]
        assert code is None or error["code"] == code, error
        assert field is None or error["field"] == field, error


def test_a_model_for_other_data_is_refused_when_it_is_started(app: FastAPI, house: House) -> None:
    texts = Desk(house.ada).begin("texts", data="text", kind="text-classification")
    texts.ok("post", "/items/bulk", json={"items": [{"path": "a.txt", **texts.keep(b"hello")}]})
    house.entry(dataset="texts")
    answer = house.ada.post(f"{AT}/looking/start", json={})
    assert code_of(answer) == "inference_other_data"
    put(app, "tides", "model", "blank", {"weights.bin": b"1"})
    house.ada.ok(
        "patch", f"{AT}/looking", json={"settings": house.settings(source={"type": "model", "model": "blank"})}
    )
    assert code_of(house.ada.post(f"{AT}/looking/start", json={})) == "model_not_runnable"


def test_an_entry_with_a_command_takes_no_dataset_at_its_start(house: House) -> None:
    house.ada.ok("post", AT, json={"name": "code", "settings": CODE})
    assert code_of(house.ada.post(f"{AT}/code/start", json={"dataset": "colours"})) == "inference_code_start"
    run = house.ada.ok("post", f"{AT}/code/start", json={})
    assert run["settings"]["models"] == ["colours@1"]
    assert (run["source"], run["dataset"], run["total"]) == ("colours@1", "colours@1", None)


def test_a_service_of_the_project_is_reached_by_name_through_the_gateway(house: House) -> None:
    db = house.app.state.db
    replica = ReplicaRoute("rep_1", "127.0.0.1", 1)
    with db.write() as session:
        project = find_project(session, "tides")
        assert project is not None
        down = ServiceRoute("svc_1", project.id, "tides", "Colours")
        publish(session, RoutingTable((down,)), utc_now())
    house.entry(source={"type": "service", "service": "colours"})
    assert code_of(house.ada.post(f"{AT}/looking/start", json={})) == "inference_service_down"
    with db.write() as session:
        track = TrackRoute("production", "ver_1", 1, 100.0, (replica,))
        publish(session, RoutingTable((replace(down, tracks=(track,)),)), utc_now())
    run = house.start()
    assert (run["source"], run["settings"]["source"]["service"]) == ("Colours", "colours")
    with db.read() as session:
        workload = session.get_one(WorkloadRow, run["workload_id"])
    port = house.app.state.settings.port + 80
    assert workload.environment["TIDEMILL_SERVICE_URL"] == f"http://127.0.0.1:{port}/tides/Colours"
    assert workload.environment["TIDEMILL_GATEWAY_URL"] == f"http://127.0.0.1:{port}"
    assert "service.call" in workload.token_scopes
