"""Environments through the API, on both databases, with nothing running behind them."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.accounts.people import Hands, with_token
from tests.conftest import Api, Person
from tidemill.devenv import idle, sweeping
from tidemill.devenv.starting import workspace_key
from tidemill.devenv.tables import EnvironmentRow
from tidemill.engines.base import EngineError, Usage
from tidemill.kernel.clock import utc_now
from tidemill.workloads.lifecycle import move
from tidemill.workloads.tables import WorkloadRow

HERE = "/projects/tides/environments"
OWN = {"image": "tidemill/python"}


class Measured:
    """An engine that says how busy its nodes are."""

    def __init__(self) -> None:
        self.cpus: dict[int, float] = {}
        self.removed: list[str] = []

    def usage(self, id: str, node: int, **window: datetime | int | None) -> list[Usage]:
        del id, window
        return [Usage(utc_now(), self.cpus.get(node, 0.0), 1)] * 3

    def address(self, id: str, node: int, port: int) -> tuple[str, int]:
        raise EngineError(f"nothing listens on port {port} of node {node} of {id}")

    def workspace(self, key: str) -> Path:
        return Path("/nowhere") / key

    def remove_workspace(self, key: str) -> None:
        self.removed.append(key)


@pytest.fixture
def ann(api: Api) -> Person:
    api.project("tides")
    return api.user("ann", project="tides")


@pytest.fixture
def measured(api: Api, monkeypatch: pytest.MonkeyPatch) -> Measured:
    found = Measured()
    monkeypatch.setitem(api.app.state._state, "engine", found)
    return found


def make(person: Person, name: str = "dev", **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = person.ok("post", HERE, json={"name": name, **OWN, **fields})
    return made


def run_it(app: FastAPI, person: Person, name: str = "dev") -> str:
    """Starts it, and has it run as far as the database knows."""
    workload: str = person.ok("post", f"{HERE}/{name}/start")["workload"]["id"]
    with app.state.db.write() as session:
        now = app.state.clock()
        row = session.get_one(WorkloadRow, workload)
        row.attempt_id = workload
        session.flush()
        move(session, row, "starting", reason=None, by="system", now=now)
        move(session, row, "running", reason=None, by="system", now=now, started_at=now)
    return workload


def end_it(app: FastAPI, workload: str) -> None:
    with app.state.db.write() as session:
        move(session, session.get_one(WorkloadRow, workload), "stopped", reason="user", by="x", now=app.state.clock())


def code_of(answer: Any) -> str:
    found: str = answer.json()["error"]["code"]
    return found


def test_a_new_environment_is_stopped_and_its_password_is_told_once(ann: Person) -> None:
    made = make(ann, description="tides at noon", nodes=2, idle_limit_s=600)
    assert made["state"] == "stopped"
    assert made["workload"] is None
    assert len(made["ssh"]["password"]) > 15
    assert made["ssh"]["port"] == 8722
    seen = ann.ok("get", f"{HERE}/dev")
    assert seen["ssh"].pop("password") is None
    made["ssh"].pop("password")
    assert seen == made


def test_a_password_of_ones_own_must_be_long_enough_and_is_not_told(ann: Person) -> None:
    short = ann.post(HERE, json={"name": "dev", **OWN, "password": "short"})
    assert (short.status_code, short.json()["error"]["field"]) == (422, "password")
    assert make(ann, password="long-enough-a-word")["ssh"]["password"] is None


def test_a_new_password_replaces_the_old(ann: Person, api: Api) -> None:
    make(ann)
    with api.app.state.db.read() as session:
        before = session.scalar(sa.select(EnvironmentRow.password_hash))
    assert ann.ok("post", f"{HERE}/dev/password", json={})["ssh"]["password"]
    with api.app.state.db.read() as session:
        assert session.scalar(sa.select(EnvironmentRow.password_hash)) != before


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"image": "no-such:1"}, "image"),
        ({"spec": "no-such"}, "spec"),
        ({"algorithms": ["no-such"]}, "algorithms"),
        ({"datasets": ["no-such@1"]}, "datasets"),
        ({"models": ["no-such@3"]}, "models"),
        ({"nodes": 0}, "nodes"),
        ({"idle_limit_s": 5}, "idle_limit_s"),
        ({"name": "a/b"}, "name"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(ann: Person, fields: dict[str, Any], field: str) -> None:
    refused = ann.post(HERE, json={"name": "dev", **OWN, **fields})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, field), refused.text


def test_what_is_placed_is_named_as_it_was_given(ann: Person) -> None:
    ann.ok("post", "/projects/tides/algorithms", json={"name": "waves", "scene": "other"})
    ann.ok("post", "/projects/tides/models", json={"name": "moon", "scene": "other"})
    boats = {"name": "boats", "data_type": "image", "annotation_type": "detection"}
    ann.ok("post", "/projects/tides/datasets", json=boats)
    for asset in ("algorithms/waves", "datasets/boats", "models/moon"):
        ann.ok("post", f"/projects/tides/{asset}/versions", json={})
    made = make(ann, algorithms=["waves"], datasets=["boats@1"], models=["moon@1"])
    assert made["inputs"] == [
        {"kind": "algorithm", "ref": "waves", "target": "algorithm/waves"},
        {"kind": "dataset", "ref": "boats@1", "target": "dataset/boats"},
        {"kind": "model", "ref": "moon@1", "target": "model/moon"},
    ]
    changed = ann.ok("patch", f"{HERE}/dev", json={"models": []})
    assert (changed["algorithms"], changed["datasets"], changed["models"]) == (["waves"], ["boats@1"], [])
    twice = ann.patch(f"{HERE}/dev", json={"algorithms": ["waves", "waves@1"]})
    assert (twice.status_code, code_of(twice)) == (409, "environment_input_twice")


def test_a_name_is_taken_once(ann: Person) -> None:
    make(ann)
    assert code_of(ann.post(HERE, json={"name": "DEV", **OWN})) == "name_taken"
    make(ann, "other")
    assert code_of(ann.patch(f"{HERE}/other", json={"name": "dev"})) == "name_taken"


def test_environments_are_listed_searched_and_changed(ann: Person) -> None:
    for name in ("one", "two", "three"):
        make(ann, name)
    assert {row["name"] for row in ann.ok("get", f"{HERE}?q=T")["items"]} == {"two", "three"}
    changed = ann.ok("patch", f"{HERE}/one", json={"name": "four", "time_limit_s": 3600, "idle_limit_s": None})
    assert (changed["name"], changed["time_limit_s"], changed["idle_limit_s"]) == ("four", 3600, None)
    assert ann.get(f"{HERE}/one").status_code == 404


def test_people_can_see_only_the_environments_they_made(ann: Person, api: Api) -> None:
    make(ann, "hers")
    make(api.admin, "other")
    assert [row["name"] for row in ann.ok("get", f"{HERE}?mine=true")["items"]] == ["hers"]


def test_environments_are_found_by_their_state(ann: Person) -> None:
    make(ann, "never")
    make(ann, "begun")
    state = ann.post(f"{HERE}/begun/start").json()["state"]
    assert [row["name"] for row in ann.ok("get", f"{HERE}?state={state}")["items"]] == ["begun"]
    assert [row["name"] for row in ann.ok("get", f"{HERE}?state=stopped")["items"]] == ["never"]


def test_a_copy_has_the_settings_and_a_password_of_its_own(ann: Person) -> None:
    make(ann, nodes=2, description="tides", time_limit_s=7200)
    copied = ann.ok("post", f"{HERE}/dev/copy", json={"name": "dev2"})
    assert (copied["nodes"], copied["description"], copied["time_limit_s"]) == (2, "tides", 7200)
    assert copied["state"] == "stopped"
    assert copied["ssh"]["password"]


def test_starting_makes_a_workload_with_the_environments_own_workspace(ann: Person, api: Api) -> None:
    made = make(ann, time_limit_s=7200)
    started = ann.post(f"{HERE}/dev/start")
    assert started.status_code == 202
    view = started.json()["workload"]
    assert (view["kind"], view["owner_id"], view["state"]) == ("environment", made["id"], "pending")
    with api.app.state.db.read() as session:
        row = session.get_one(WorkloadRow, view["id"])
        assert row.workspace == workspace_key(made["id"])
        assert row.owns_workspace is False
        assert row.run_on == "first"
        assert row.time_limit_s == 7200
        assert row.secrets["JUPYTER_TOKEN"] == api.app.state.doors_office.app_token(made["id"])
    assert row.secrets["JUPYTER_TOKEN"] not in started.text
    assert code_of(ann.post(f"{HERE}/dev/start")) == "environment_not_stopped"


def test_each_start_has_the_same_workspace(ann: Person, api: Api) -> None:
    make(ann)
    first = run_it(api.app, ann)
    ann.ok("post", f"{HERE}/dev/stop")
    end_it(api.app, first)
    second = run_it(api.app, ann)
    with api.app.state.db.read() as session:
        keys = {session.get_one(WorkloadRow, one).workspace for one in (first, second)}
    assert first != second
    assert len(keys) == 1


def test_what_does_not_run_can_be_neither_stopped_nor_opened(ann: Person) -> None:
    make(ann)
    assert code_of(ann.post(f"{HERE}/dev/stop")) == "environment_stopped"
    assert code_of(ann.post(f"{HERE}/dev/open")) == "environment_not_running"


def test_opening_gives_an_address_on_the_apps_origin(ann: Person, api: Api, measured: Measured) -> None:
    make(ann)
    workload = run_it(api.app, ann)
    opened = ann.ok("post", f"{HERE}/dev/open?app=port&port=8888")
    assert opened["url"].startswith(f"http://127.0.0.1:8701/w/{workload}/0/8888/?ticket=")
    assert opened["state"] == "starting"
    assert code_of(ann.post(f"{HERE}/dev/open?app=port")) == "environment_port_missing"
    assert code_of(ann.post(f"{HERE}/dev/open?app=port&port=1&node=1")) == "environment_node"


def test_a_viewer_looks_and_touches_nothing(ann: Person, api: Api) -> None:
    make(ann)
    viewer = api.user("vic", project="tides", role="viewer")
    assert viewer.ok("get", f"{HERE}/dev")["name"] == "dev"
    for verb, rest in (("post", "/start"), ("post", "/open"), ("patch", ""), ("post", "/password")):
        assert getattr(viewer, verb)(f"{HERE}/dev{rest}", json={}).status_code == 403, rest


def test_another_projects_people_see_nothing(ann: Person, api: Api) -> None:
    made = make(ann)
    api.project("others")
    eve = api.user("eve", project="others", role="owner")
    assert eve.get(f"{HERE}/dev").status_code == 404
    assert eve.get(f"/projects/others/environments/{made['id']}").status_code == 404
    assert eve.post(f"{HERE}/dev/open").status_code == 404


def test_deleting_asks_for_the_name_and_removes_the_files_once_nothing_runs(
    ann: Person, api: Api, measured: Measured
) -> None:
    made = make(ann)
    workload = run_it(api.app, ann)
    assert code_of(ann.delete(f"{HERE}/dev?confirm=other")) == "environment_confirm"
    ann.ok("delete", f"{HERE}/dev?confirm=dev")
    assert ann.get(f"{HERE}/dev").status_code == 404
    sweeping.sweep(api.app)
    assert measured.removed == []
    end_it(api.app, workload)
    sweeping.sweep(api.app)
    assert measured.removed == [workspace_key(made["id"])]
    with api.app.state.db.read() as session:
        assert session.get(EnvironmentRow, made["id"]) is None
    make(ann)


class Watch:
    """Time passing for one running environment."""

    def __init__(self, api: Api, person: Person, measured: Measured, **fields: Any) -> None:
        self.hands = Hands(api.app)
        self.api, self.person, self.measured = api, person, measured
        make(person, **fields)
        self.workload = run_it(api.app, person)

    def after(self, **time: float) -> dict[str, Any]:
        self.hands.turn(**time)
        idle.look(self.api.app)
        seen: dict[str, Any] = self.person.ok("get", f"{HERE}/dev")
        return seen


def test_one_that_nobody_uses_is_warned_and_then_stopped(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=3600)
    assert watch.after(seconds=1)["warning"] is None
    quiet = watch.after(minutes=49)
    assert quiet["warning"] is None
    assert quiet["stops_at"] is not None
    warned = watch.after(minutes=2)
    assert warned["state"] == "running"
    assert (warned["warning"]["kind"], warned["warning"]["stops_at"]) == ("idle", warned["stops_at"])
    assert "9 min" in warned["warning"]["text"]
    watch.after(minutes=1)
    told = [one for one in ann.ok("get", "/me/notifications")["items"] if one["kind"] == "environment"]
    assert [one["title"] for one in told] == ["The environment “dev” will be stopped"]
    stopped = watch.after(minutes=9)
    assert (stopped["state"], stopped["workload"]["stop_reason"]) == ("stopping", "idle")


def test_work_of_its_processors_is_use(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=600, nodes=2)
    measured.cpus[1] = 0.5
    assert watch.after(hours=5)["state"] == "running"
    measured.cpus.clear()
    assert watch.after(seconds=20)["idle_since"] is not None
    measured.cpus[0] = 0.5
    seen = watch.after(minutes=9)
    assert (seen["idle_since"], seen["warning"]) == (None, None)


def test_somebody_inside_is_use(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=600)
    with api.app.state.doors_activity.inside(watch.workload):
        watch.after(minutes=1)
        assert watch.after(hours=5)["idle_since"] is None
    assert watch.after(seconds=1)["idle_since"] is not None


def test_keeping_it_alive_begins_the_time_anew(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=3600)
    watch.after(seconds=1)
    assert watch.after(minutes=55)["warning"]
    kept = ann.ok("post", f"{HERE}/dev/keep-alive")
    assert (kept["warning"], kept["idle_since"]) == (None, None)
    assert watch.after(minutes=30)["state"] == "running"
    assert watch.after(minutes=61)["state"] == "stopping"


def test_the_end_of_its_time_is_warned_of_even_in_use(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=None, time_limit_s=7200)
    measured.cpus[0] = 1.0
    assert watch.after(minutes=100)["warning"] is None
    seen = watch.after(minutes=12)
    assert seen["warning"]["kind"] == "time_limit"
    assert seen["state"] == "running"


def test_one_without_limits_stays(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=None)
    watch.after(seconds=1)
    assert watch.after(days=5)["state"] == "running"


def test_the_time_without_use_survives_a_restart_of_the_platform(ann: Person, api: Api, measured: Measured) -> None:
    watch = Watch(api, ann, measured, idle_limit_s=3600)
    watch.after(seconds=1)
    with api.app.state.db.read() as session:
        since = session.scalar(sa.select(EnvironmentRow.idle_since))
    assert since is not None
    assert watch.hands.now - since < timedelta(seconds=5)


def test_ssh_keys_are_added_listed_and_removed(ann: Person, api: Api) -> None:
    line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx5Uj3Ib9wb8sM0PqU8RylYoGMGOXY2Nn0E1A3jD3bm ann@laptop"
    made = ann.ok("post", "/me/ssh-keys", json={"public_key": line})
    assert (made["name"], made["algorithm"]) == ("ann@laptop", "ssh-ed25519")
    assert made["fingerprint"].startswith("SHA256:")
    assert code_of(ann.post("/me/ssh-keys", json={"public_key": line})) == "ssh_key_known"
    assert [key["id"] for key in ann.ok("get", "/me/ssh-keys")["items"]] == [made["id"]]
    assert api.admin.ok("get", "/me/ssh-keys")["items"] == []
    assert api.admin.delete(f"/me/ssh-keys/{made['id']}").status_code == 404
    ann.ok("delete", f"/me/ssh-keys/{made['id']}")
    assert ann.ok("get", "/me/ssh-keys")["items"] == []


@pytest.mark.parametrize("text", ["nonsense", "ssh-ed25519 AAAA", "ssh-rsa !!!", "-----BEGIN OPENSSH PRIVATE KEY-----"])
def test_what_is_no_public_key_is_refused(ann: Person, text: str) -> None:
    refused = ann.post("/me/ssh-keys", json={"public_key": text})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "public_key")


def test_a_limited_token_cannot_add_a_key(ann: Person, api: Api) -> None:
    token = ann.ok("post", "/me/tokens", json={"name": "narrow", "scopes": ["project.read"]})["token"]
    assert with_token(api, token).post("/me/ssh-keys", json={"public_key": "ssh-ed25519 AAAA"}).status_code == 403
