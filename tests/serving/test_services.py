"""Services on a real server through the real gateway: deployed, called, tried, watched, gone."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.live import ADMIN_PASSWORD
from tests.models.colours import picture
from tests.serving.stage import PROJECT, Stage
from tidemill.cli.main import run as run_cli
from tidemill.kernel.clock import utc_now
from tidemill.sdk import Client


def eventually(look: Callable[[], Any], within_s: float = 30) -> Any:
    deadline = time.monotonic() + within_s
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.1)
    return found


@pytest.fixture(scope="module")
def colours(stage: Stage) -> str:
    """A model in one click: packaged, started, called."""
    made = stage.ok("post", f"/projects/{PROJECT}/models/colours/versions/1/deploy", json={"spec": stage.spec()})
    assert made["name"] == "colours"
    assert made["state"] in {"building", "starting"}
    stage.until_serving("colours")
    return "colours"


def test_a_model_is_a_service_in_one_click_and_says_what_it_sees(stage: Stage, colours: str) -> None:
    seen = stage.show(colours)
    assert seen["production"]["model"] == "colours@1"
    assert (seen["production"]["wanted"], seen["production"]["ready"], seen["production"]["share"]) == (1, 1, 100.0)
    key = stage.key(colours)
    stage.until_open(colours, key)
    body = picture("green")
    answer = stage.call(colours, "predict", key=key, method="POST", content=body)
    assert answer.status_code == 200
    assert answer.json()["labels"][0]["label"] == "green"
    assert stage.call(colours, "v2/health/ready", key=key).status_code == 200


def test_a_service_whose_build_or_replica_waits_for_room_says_so_and_why(stage: Stage) -> None:
    at = "/projects/narrow"
    stage.ok("post", "/projects", json={"name": "narrow"})
    with Client(stage.server.url, project="narrow") as client:
        client.sign_in("admin", ADMIN_PASSWORD)
        for name in ("first", "second"):
            client.models.push(stage.folder / "colours", name, scene="image-classification")
    try:
        stage.ok("post", f"{at}/services", json={"name": "first", "model": "first@1", "spec": stage.spec()})
        eventually(lambda: stage.ok("get", f"{at}/services/first")["state"] == "serving")
        build = _build_of(stage, at, "first")
        stage.ok("patch", at, json={"quota": {"cpu": build["resources"]["cpus"]}})
        stage.ok("post", f"{at}/services", json={"name": "second", "model": "second@1", "spec": stage.spec()})
        seen = eventually(lambda: _waiting(stage, at, "second", "; its build waits: It needs"))
        assert (seen["state"], seen["waits_for"], seen["production"]["waits_for"]) == ("building", "build", "build")
        assert seen["reason"].endswith("Place 1 of 1 in the queue.")
        held = stage.ok("get", f"{at}/workloads/{_build_of(stage, at, 'second')['id']}/waiting")
        assert held["text"] in seen["reason"], "as the build itself says it"
        chinese = stage.ok("get", f"{at}/services/second", headers={"Accept-Language": "zh-CN"})
        assert "构建正在排队" in chinese["reason"]
        assert "排在第 1 位，共 1 个。" in chinese["reason"]

        stage.ok("patch", f"{at}/services/first/tracks/production", json={"replicas": 2})
        seen = eventually(lambda: _waiting(stage, at, "first", "the next one waits: It needs"))
        assert (seen["state"], seen["waits_for"]) == ("updating", "replica")
        assert "in the queue." in seen["reason"]
    finally:
        for one in stage.ok("get", f"{at}/services")["items"]:
            stage.ok("delete", f"{at}/services/{one['id']}", params={"confirm": one["name"]})


def _waiting(stage: Stage, at: str, name: str, words: str) -> dict[str, Any] | None:
    seen: dict[str, Any] = stage.ok("get", f"{at}/services/{name}")
    return seen if words in seen["reason"] else None


def _build_of(stage: Stage, at: str, package: str) -> dict[str, Any]:
    version = stage.ok("get", f"{at}/packages/{package}/versions/1")
    found: dict[str, Any] = stage.ok("get", f"{at}/workloads/{version['workload_id']}")
    return found


def test_strangers_get_nothing_and_a_key_opens_only_its_own_service(stage: Stage, colours: str) -> None:
    key = stage.key(colours)
    stage.until_open(colours, key)
    assert stage.call(colours, "v2").status_code == 401
    assert stage.call(colours, "v2", key="tms_wrong").status_code in {401, 403, 404}
    stage.deploy("closed")
    stage.until_serving("closed")
    assert stage.call("closed", key=key).status_code in {401, 403, 404}
    token = stage.ok("post", "/me/tokens", json={"name": "caller", "scopes": ["service.call"]})["token"]
    assert eventually(lambda: stage.call("closed", key=token).status_code == 200)
    stage.ok("patch", stage.at("/closed"), json={"access": "open"})
    assert eventually(lambda: stage.call("closed").status_code == 200)


def test_a_key_is_shown_once_limited_renamed_and_deleted(stage: Stage, colours: str) -> None:
    made = stage.ok("post", stage.at(f"/{colours}/keys"), json={"name": "shop", "rate_per_s": 1})
    secret = made["key"]
    assert stage.call(colours, key=secret).status_code < 400, "it opens the service from the moment it is there"
    listed = stage.ok("get", stage.at(f"/{colours}/keys?limit=200"))["items"]
    mine = next(one for one in listed if one["name"] == "shop")
    assert secret.startswith(mine["prefix"])
    assert secret not in json.dumps(listed)

    def used_on() -> str | None:
        keys = stage.ok("get", stage.at(f"/{colours}/keys?limit=200"))["items"]
        return next(one["last_used_on"] for one in keys if one["name"] == "shop")

    assert eventually(used_on) in {one.date().isoformat() for one in (utc_now() - timedelta(days=1), utc_now())}
    assert any(stage.call(colours, "v2", key=secret).status_code == 429 for _ in range(10))
    stage.ok("patch", stage.at(f"/{colours}/keys/shop"), json={"name": "web shop", "rate_per_s": None})
    assert stage.http.post(stage.at(f"/{colours}/keys"), json={"name": "web shop"}).status_code == 409
    stage.ok("delete", stage.at(f"/{colours}/keys/web shop"))
    assert stage.call(colours, "v2", key=secret).status_code in {401, 403, 404}, "and nothing once it is deleted"
    log = stage.ok("get", f"/projects/{PROJECT}/audit?limit=200")["items"]
    assert {"service.key_create", "service.key_update", "service.key_delete"} <= {one["action"] for one in log}
    assert secret not in json.dumps(log)


def test_the_online_test_goes_through_the_gateway_and_says_who_answered(stage: Stage, colours: str) -> None:
    headers = {"Content-Type": "image/png"}
    answer = stage.ok("post", stage.at(f"/{colours}/test/predict"), content=picture("blue"), headers=headers)
    assert (answer["status"], answer["version"]) == (200, "1")
    assert json.loads(answer["text"])["labels"][0]["label"] == "blue"
    assert answer["latency_ms"] > 0
    assert answer["replica"]
    about = stage.ok("get", stage.at(f"/{colours}/test/v2/models/colours"))
    assert json.loads(about["text"])["name"] == "colours"
    too_large = stage.http.post(stage.at(f"/{colours}/test/predict"), content=b"x" * (20 * 2**20 + 1))
    assert too_large.status_code == 413
    wrong = stage.ok("post", stage.at(f"/{colours}/test/predict"), content=b"no picture", headers=headers)
    assert 400 <= wrong["status"] < 500


@pytest.mark.parametrize("where", ["in the code", "in the environment"])
def test_snippets_work_as_they_are(stage: Stage, colours: str, tmp_path: Path, where: str) -> None:
    key = stage.key(colours)
    stage.until_open(colours, key)
    params = {"key": key} if where == "in the code" else {}
    found = stage.ok("get", stage.at(f"/{colours}/snippets"), params=params)["items"]
    environ = os.environ if where == "in the code" else {**os.environ, "TIDEMILL_KEY": key}
    assert [one["name"] for one in found] == ["curl", "python", "tritonclient-http", "tritonclient-grpc"]
    (tmp_path / "picture.jpg").write_bytes(picture("red"))
    for one in found:
        command = ["sh", "-c", one["code"]] if one["language"] == "shell" else [sys.executable, "-c", one["code"]]
        done = subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, (one["name"], done.stderr)
        assert "red" in done.stdout, (one["name"], done.stdout)


def test_the_command_line_does_it_all(
    stage: Stage, colours: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    token = stage.ok("post", "/me/tokens", json={"name": "cli"})["token"]
    for name, value in (("URL", stage.server.url), ("TOKEN", token), ("PROJECT", PROJECT)):
        monkeypatch.setenv(f"TIDEMILL_{name}", value)
    monkeypatch.setenv("TIDEMILL_CONFIG", str(tmp_path / "config"))
    (tmp_path / "sky.png").write_bytes(picture("blue"))

    def cli(*arguments: str) -> Any:
        capsys.readouterr()
        assert run_cli(["service", *arguments]) == 0, capsys.readouterr().err
        return json.loads(out) if (out := capsys.readouterr().out).startswith("{") else out

    said = cli("predict", colours, "--file", str(tmp_path / "sky.png"), "--json")
    assert said["labels"][0]["label"] == "blue"
    assert {"latency_ms", "version"} <= set(said)
    monkeypatch.setenv("HUSH", "from outside")
    limits = (
        "--cors",
        "https://a.example",
        "--max-body",
        "1MiB",
        "--timeout",
        "9",
        "--rate",
        "500",
        "--description",
        "d",
    )
    hidden = ("--env", "SEEN=1", "--secret", "HUSH", "--secret", "PIN=1=2")
    shop = ("deploy", "shop", "--package", "app@1", "--spec", "small", "--replicas", "1", *limits, *hidden)
    made = cli(*shop, "--wait", "--json")
    assert (made["cors"], made["body_max_bytes"], made["timeout_s"]) == (["https://a.example"], 2**20, 9)
    assert (made["rate_per_s"], made["description"]) == (500, "d")
    assert (made["production"]["secret_names"], made["production"]["environment"]) == (["HUSH", "PIN"], {"SEEN": "1"})
    assert made["traffic"]["requests_per_s"] == 0
    changed = cli("edit", "shop", "--cors", "none", "--rate", "none", "--open", "--json")
    assert (changed["cors"], changed["rate_per_s"], changed["access"], changed["timeout_s"]) == ([], None, "open", 9)
    assert (made["state"], made["production"]["wanted"], made["production"]["ready"]) == ("serving", 1, 1)
    assert made["url"] == f"{stage.gateway}/{PROJECT}/shop"
    echoed = cli("predict", "shop", "--json", '{"a": 1}')
    assert echoed["bytes"] == 8
    assert cli("canary", "shop", "--package", "app", "--spec", "small", "--share", "20", "--wait", "--json")["canary"]
    assert cli("share", "shop", "30", "--json")["canary"]["share"] == 30
    assert cli("promote", "shop", "--json")["production"]["number"] == 2
    assert cli("scale", "shop", "2", "--wait", "--json")["production"]["ready"] == 2
    assert cli("keys", "create", "shop", "mine", "--json")["key"].startswith("tms_")
    assert [one["name"] for one in cli("keys", "list", "shop", "--json")["items"]] == ["mine"]
    assert "listening" in cli("logs", "shop")
    assert {one["name"] for one in cli("list", "--json")["items"]} >= {"shop", colours}
    assert "shop" in cli("show", "shop")
    assert cli("metrics", "shop", "--json")["series"]
    fewer = cli("update", "shop", "--no-secret", "PIN", "--secret", "HUSH=other", "--role", "canary", "--json")
    assert fewer["canary"]["secret_names"] == ["HUSH"]
    cli("restart", "shop", "--wait")
    cli("delete", "shop", "--yes")
    assert run_cli(["service", "deploy", "x"]) == 2
    assert run_cli(["service", "deploy", "x", "--package", "app@1", "--secret", "NOT_THERE"]) == 2
    assert run_cli(["service", "edit", "shop"]) == 2
    assert run_cli(["service", "show", "shop"]) == 1


def test_what_cannot_start_says_why_with_its_last_lines_and_comes_up_when_it_can(stage: Stage, tmp_path: Path) -> None:
    there = tmp_path / "moon"
    stage.deploy("moonlit", environment={"DIES": str(there)})
    seen = stage.until("moonlit", lambda now: now["state"] == "failed")
    assert "the moon is missing" in seen["reason"]
    assert "exit code 3" in seen["reason"]
    events = stage.ok("get", stage.at("/moonlit/events"))["items"]
    assert any("the moon is missing" in one["message"] for one in events)
    in_chinese = stage.ok("get", stage.at("/moonlit"), headers={"Accept-Language": "zh-CN"})
    assert "副本" in in_chinese["reason"]
    there.touch()
    stage.ok("post", stage.at("/moonlit/start"))
    stage.until_serving("moonlit")
    stage.ok("delete", stage.at("/moonlit"), params={"confirm": "moonlit"})


def test_secrets_reach_the_replica_and_nobody_else(stage: Stage) -> None:
    made = stage.deploy("vault", environment={"COLOUR": "red"}, secrets={"SECRET": "sesame"}, access="open")
    assert made["production"]["secret_names"] == ["SECRET"]
    assert "sesame" not in json.dumps(made)
    stage.until_serving("vault")
    answer = eventually(lambda: (got := stage.call("vault")).status_code == 200 and got.json())
    assert (answer["COLOUR"], answer["SECRET"]) == ("red", "sesame")
    stage.ok("patch", stage.at("/vault/tracks/production"), json={"secrets": {"SECRET": None}})
    stage.until_serving("vault")
    assert stage.call("vault").json()["SECRET"] == ""
    wrong = stage.http.patch(stage.at("/vault/tracks/production"), json={"environment": {"TIDEMILL_TOKEN": "x"}})
    assert wrong.json()["error"]["code"] == "service_variable_ours"
    stage.ok("delete", stage.at("/vault"), params={"confirm": "vault"})


def test_stopped_it_ends_and_started_it_serves_again(stage: Stage) -> None:
    stage.deploy("nap", access="open")
    stage.until_serving("nap")
    stage.ok("post", stage.at("/nap/stop"))
    seen = stage.until("nap", lambda now: now["state"] == "stopped")
    assert (seen["wanted"], seen["ready"], seen["production"]["replicas"]) == (0, 0, [])
    assert stage.call("nap").status_code == 503
    stage.ok("post", stage.at("/nap/start"))
    stage.until_serving("nap")
    assert eventually(lambda: stage.call("nap").status_code == 200)
    stage.ok("delete", stage.at("/nap"), params={"confirm": "nap"})
    assert stage.http.get(stage.at("/nap")).status_code == 404
    eventually(lambda: stage.call("nap").status_code in {401, 404})


def test_a_canary_that_fails_loses_its_traffic_by_the_rule_and_alerts_tell(stage: Stage) -> None:
    rules = {
        "rollback": {"error_rate": 0.2, "requests": 10, "window_s": 60},
        "alerts": [{"metric": "error_rate", "above": 0.05, "window_s": 60}],
    }
    stage.deploy("brave", access="open", **rules)
    stage.until_serving("brave")
    body = {"package": "app@1", "spec": "small", "share": 50}
    stage.ok("put", stage.at("/brave/canary"), json=body)
    stage.until_serving("brave")

    def broken_calls() -> Any:
        for _ in range(30):
            stage.call("brave", "broken")
        return stage.show("brave")["canary"]["rolled_back_at"]

    eventually(broken_calls)
    seen = stage.show("brave")
    assert seen["canary"]["share"] == 0
    events = stage.ok("get", stage.at("/brave/events"))["items"]
    told = next(one for one in events if one["kind"] == "rollback")
    assert "20 %" in told["message"]
    alerts = eventually(
        lambda: stage.ok("get", stage.at("/alerts"), params={"service": "brave", "state": "open"})["items"]
    )
    assert alerts[0]["rule"]["metric"] == "error_rate"
    assert stage.show("brave")["open_alerts"] == 1
    figures = stage.ok("get", stage.at("/brave/metrics"), params={"replicas": True})
    whole, *parts = figures["series"]
    assert whole["total"]["errors"] > 0
    assert whole["total"]["p99_ms"] is not None
    assert any(one["replica"] for one in parts)
    assert sum(one["total"]["requests"] for one in parts if one["replica"] is None) == whole["total"]["requests"]
    text = stage.http.get(stage.at("/metrics")).text
    assert 'tidemill_service_requests_total{project="tides",service="brave"' in text
    stage.ok("patch", stage.at("/brave"), json={"alerts": []})
    eventually(lambda: stage.show("brave")["open_alerts"] == 0)
    stage.ok("delete", stage.at("/brave"), params={"confirm": "brave"})


def test_a_shadow_is_compared_and_nobody_gets_its_answers(stage: Stage) -> None:
    stage.deploy("plain", access="open", environment={"COLOUR": "blue"})
    assert stage.http.put(stage.at("/plain/shadow"), json={}).status_code == 409
    body = {"package": "app@1", "spec": "small", "environment": {"COLOUR": "red"}, "share": 0}
    stage.ok("put", stage.at("/plain/canary"), json=body)
    stage.until_serving("plain")
    stage.ok("put", stage.at("/plain/shadow"), json={"percent": 100})

    def compared() -> Any:
        assert {stage.call("plain").json()["COLOUR"] for _ in range(5)} == {"blue"}
        (report,) = stage.ok("get", stage.at("/plain/shadows"))["items"]
        return report if report["different"] else None

    report = eventually(compared)
    assert report["same"] == 0, "each says who it is"
    assert report["differences"]
    assert report["canary_mean_ms"] > 0

    def counted() -> Any:
        series = stage.ok("get", stage.at("/plain/metrics"))["series"]
        return {(one["role"], one["is_shadow"]): one["total"]["requests"] for one in series}

    requests = eventually(lambda: found if (found := counted()).get(("canary", True)) else None)
    assert requests["canary", False] == 0, "what it was shown is not what it was asked"
    assert requests["production", False] == requests[None, False] > 0
    text = stage.http.get(stage.at("/metrics")).text
    assert 'tidemill_service_shadow_requests_total{project="tides",service="plain"' in text
    assert 'role="shadow"' not in "".join(
        line for line in text.splitlines() if line.startswith("tidemill_service_requests_total")
    )
    stage.ok("delete", stage.at("/plain/shadow"))
    (report,) = stage.ok("get", stage.at("/plain/shadows"))["items"]
    assert report["ended_at"]
    assert report["differences"][0]["path"] == "/", "examples stay when it has ended"
    stage.ok("delete", stage.at("/plain"), params={"confirm": "plain"})


def test_lineage_leads_from_the_service_to_the_model_and_back(stage: Stage, colours: str) -> None:
    graph = stage.ok("get", stage.at(f"/{colours}/lineage"))
    kinds = {node["kind"]: node for node in graph["nodes"]}
    assert {"service", "package", "model"} <= set(kinds)
    assert kinds["service"]["is_self"]
    assert kinds["service"]["link"] == f"/p/{PROJECT}/services/{colours}"
    forward = stage.ok("get", f"/projects/{PROJECT}/models/colours/versions/1/lineage", params={"depth": 5})
    assert {"service", "package"} <= {node["kind"] for node in forward["nodes"]}
    package = kinds["package"]
    refused = stage.http.delete(f"/projects/{PROJECT}/packages/{package['name']}/versions/{package['version']}")
    assert refused.status_code == 409, "what a service runs is not deleted"


def test_a_terminal_opens_into_a_replica_for_who_may_change_the_service(stage: Stage, colours: str) -> None:
    workload = stage.show(colours)["production"]["replicas"][0]["workload_id"]
    url = f"ws://127.0.0.1:{stage.server.port}/api/v1/projects/{PROJECT}/workloads/{workload}/terminal"

    def token(*scopes: str) -> dict[str, str]:
        made = stage.ok("post", "/me/tokens", json={"name": scopes[0], "scopes": [*scopes]})["token"]
        return {"Authorization": f"Bearer {made}"}

    with connect(url, additional_headers=token("service.write"), proxy=None) as socket:
        socket.send(b"echo $TIDEMILL_SERVICE-in''side\n")
        seen = b""
        while b"colours-inside" not in seen:
            seen += socket.recv(timeout=20, decode=False)
    with connect(url, additional_headers=token("workload.write"), proxy=None) as socket:
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=20)
        assert socket.protocol.close_code == 4403


def test_two_projects_never_see_each_other(stage: Stage, colours: str) -> None:
    stage.ok("post", "/projects", json={"name": "others"})
    token = stage.ok("post", "/me/tokens", json={"name": "o", "project": "others", "scopes": ["service.call"]})["token"]
    assert stage.call(colours, "v2", key=token).status_code in {401, 403, 404}
    assert stage.ok("get", "/projects/others/services")["items"] == []
    assert stage.http.get(f"/projects/others/services/{stage.show(colours)['id']}").status_code == 404
    body = {"name": "theft", "package": f"{PROJECT}/app@1"}
    headers = {"Authorization": f"Bearer {token}"}
    assert stage.http.post("/projects/others/services", json=body, headers=headers).status_code == 403


def test_deleting_a_project_ends_its_services(stage: Stage) -> None:
    stage.ok("post", "/projects", json={"name": "shortlived"})
    body = {"name": "s", "package": f"{PROJECT}/app@1", "spec": stage.spec(), "access": "open"}
    stage.ok("post", "/projects/shortlived/services", json=body)
    address = "/projects/shortlived/services/s"
    eventually(lambda: stage.ok("get", address)["state"] == "serving")
    url = f"{stage.gateway}/shortlived/s/"
    eventually(lambda: httpx2.get(url, trust_env=False).status_code == 200)
    replica = stage.ok("get", address)["production"]["replicas"][0]
    stage.ok("delete", "/projects/shortlived", params={"confirm": "shortlived"})
    eventually(lambda: httpx2.get(url, trust_env=False).status_code in {401, 404})
    eventually(lambda: not _is_running(replica["id"]))


def _is_running(replica_id: str) -> bool:
    """Whether a process of the replica is there, by the mark in its environment."""
    mark = f"TIDEMILL_REPLICA={replica_id}".encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes():
                    return True
    return False


def test_rules_are_said_at_their_fields(stage: Stage) -> None:
    def refused(status: int, **body: Any) -> Any:
        answer = stage.http.post(stage.at(), json=body)
        assert answer.status_code == status, answer.text
        return answer.json()["error"]

    assert refused(422, name="x")["details"][0]["code"] == "service_one_of"
    assert refused(422, name="metrics", package="app@1")["code"] == "service_name_reserved"
    assert refused(422, name="x", package="nothing@1")["field"] == "package"
    assert refused(409, name="colours", package="app@1")["code"] == "name_taken"
    assert stage.http.post(stage.at("/colours/promote")).json()["error"]["code"] == "service_no_canary"
