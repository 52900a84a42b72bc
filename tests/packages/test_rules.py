"""Packages: recipes and their rules, digests, lineage, what may be deleted, who may see them."""

import json
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Api, Person
from tests.datasets.conftest import code_of
from tests.images.wheels import write_wheel
from tests.models.colours import model_files
from tests.models.conftest import put
from tests.packages.conftest import AT, finish
from tidemill.accounts.access import Caller, ProjectRef, find_project
from tidemill.accounts.tables import UserRow
from tidemill.assets import uses
from tidemill.assets.emptying import finish_purges
from tidemill.assets.tables import VersionRow
from tidemill.assets.uses import Use
from tidemill.kernel.clock import utc_now
from tidemill.kernel.errors import Conflict
from tidemill.packages.making import package_for_model
from tidemill.packages.running import launch_of
from tidemill.packages.sweeping import sweep
from tidemill.workloads.tables import WorkloadRow

MANIFEST = {"manifest": 1, "task": "image-classification", "functions": {"serve": {"command": "python app.py"}}}


@pytest.fixture
def stocked(app: FastAPI, ada: Person) -> Person:
    """A project with a model, two algorithms and a package without versions."""
    put(app, "tides", "model", "colours", model_files(), "image-classification")
    put(app, "tides", "algorithm", "web", {"app.py": b"", "algorithm.json": json.dumps(MANIFEST).encode()})
    put(app, "tides", "algorithm", "classy", {"model.py": b"class Model: ..."})
    put(app, "tides", "algorithm", "bare", {"train.py": b""})
    ada.ok("post", AT, json={"name": "shop", "scene": "image-classification", "description": "first"})
    return ada


def build(who: Person, **recipe: Any) -> Any:
    return who.ok("post", f"{AT}/shop/versions", json=recipe)


@pytest.mark.both_databases
def test_a_version_is_built_from_a_recipe_and_says_what_it_is(app: FastAPI, stocked: Person) -> None:
    made = build(stocked, models=["colours"], environment={"A": "1"}, note="hello")
    assert (made["state"], made["number"], made["recipe"]["models"]) == ("pending", 1, ["colours@1"])
    assert (made["server"], made["task"], made["base_image"].split(":")[0]) == (
        "builtin",
        "image-classification",
        "tidemill/runtime",
    )
    finish(app, made["id"])
    built = stocked.ok("get", f"{AT}/shop/versions/1")
    assert (built["state"], built["files"] > 3, built["permissions"]) == (
        "completed",
        True,
        ["read", "write", "delete"],
    )
    shown = stocked.ok("get", f"{AT}/shop")
    assert (shown["latest"], shown["ready"]) == ({"number": 1, "state": "completed", "digest": made["digest"]},) * 2
    manifest = stocked.get(f"{AT}/shop/versions/1/files/package.json")
    assert json.loads(manifest.content)["environment"] == {"A": "1"}
    tree = stocked.ok("get", f"{AT}/shop/versions/1/tree?path=model/colours")
    assert "model.json" in [one["name"] for one in tree["items"]]
    answer = stocked.put(f"{AT}/shop/versions/1/files/x.txt", content=b"x")
    assert (answer.status_code, code_of(answer)) == (409, "package_files_by_build")


def test_a_build_that_waits_is_stopped_at_once_and_built_again(stocked: Person) -> None:
    build(stocked, models=["colours"])
    assert stocked.ok("post", f"{AT}/shop/versions/1/stop")["state"] == "stopped"
    assert stocked.ok("get", f"{AT}/shop/versions/1")["state"] == "stopped"
    assert stocked.ok("post", f"{AT}/shop/versions/1/build")["state"] == "pending"


def test_the_same_inputs_have_the_same_digest_and_say_so(app: FastAPI, stocked: Person) -> None:
    one = build(stocked, models=["colours"], requirements=["b", "a", "a"], environment={"B": "2", "A": "1"})
    same = build(stocked, models=["colours@1"], requirements=["a", "b"], environment={"A": "1", "B": "2"}, note="x")
    other = build(stocked, models=["colours@1"], requirements=["a", "b"], environment={"A": "1", "B": "3"})
    assert one["digest"] == same["digest"] != other["digest"]
    assert (same["same_as"], other["same_as"]) == (["shop@1"], [])
    recipe = {"models": ["colours"], "requirements": ["a", "b"], "environment": {"A": "1", "B": "2"}}
    checked = stocked.ok("post", f"{AT}/shop/check", json=recipe)
    assert (checked["digest"], checked["same_as"]) == (one["digest"], ["shop@2", "shop@1"])
    copied = stocked.ok("post", f"{AT}/shop/versions/1/copy", json={"note": "again"})
    assert (copied["number"], copied["digest"], copied["note"]) == (4, one["digest"], "again")


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({}, "package"),
    ({"models": ["nothing"]}, "models"),
    ({"models": ["colours", "colours@1"]}, "models"),
    ({"models": ["colours"], "image": "no-such:1"}, "image"),
    ({"models": ["colours"], "port": 0}, "port"),
    ({"models": ["colours"], "arguments": "x" * 3001}, "arguments"),
    ({"algorithm": "web", "command": "x" * 3001}, "command"),
    ({"models": ["colours"], "environment": {"A": "x" * 501}}, "environment.A"),
    ({"models": ["colours"], "environment": {"1A": "x"}}, "environment"),
    ({"models": ["colours"], "environment": {"PORT": "1"}}, "environment"),
    ({"models": ["colours"], "requirements": ["-e ."]}, "requirements"),
    ({"models": ["colours"], "command": "python x.py"}, ""),
    ({"algorithm": "bare"}, "command"),
]


def test_a_broken_rule_is_named_with_its_field_in_both_languages(stocked: Person) -> None:
    for recipe, field in BROKEN:
        said = {}
        for language in ("en", "zh-CN"):
            answer = stocked.post(f"{AT}/shop/versions", json=recipe, headers={"Accept-Language": language})
            assert answer.status_code == 422, answer.text
            said[language] = answer.text
            assert field in answer.text
        assert said["en"] != said["zh-CN"]
    assert stocked.ok("get", f"{AT}/shop")["versions_count"] == 0


def test_code_is_started_by_its_class_its_function_or_a_command(app: FastAPI, stocked: Person) -> None:
    function = build(stocked, algorithm="web", arguments="--fast")
    assert (function["server"], function["protocol"], function["start"]) == ("function", "http", "python app.py --fast")
    classy = build(stocked, algorithm="classy", models=["colours"])
    assert (classy["server"], classy["protocol"], "--code" in classy["start"]) == ("class", "v2", True)
    command = build(stocked, algorithm="bare", command="python -m http.server $PORT")
    assert (command["server"], command["start"]) == ("command", "python -m http.server $PORT")
    finish(app, command["id"])
    script = stocked.get(f"{AT}/shop/versions/3/files/start.sh").text
    assert script.endswith('cd "$TIDEMILL_PACKAGE/code"\nexec python -m http.server $PORT\n')


@pytest.mark.both_databases
def test_what_goes_in_is_kept_and_lineage_shows_it_both_ways(app: FastAPI, stocked: Person) -> None:
    made = build(stocked, models=["colours"], algorithm="web")
    finish(app, made["id"])
    for kind, name in (("models", "colours"), ("algorithms", "web")):
        answer = stocked.delete(f"/projects/tides/{kind}/{name}/versions/1")
        assert (answer.status_code, code_of(answer)) == (409, "in_use")
        graph = stocked.ok("get", f"/projects/tides/{kind}/{name}/versions/1/lineage")
        assert "shop@1" in [node["label"] for node in graph["nodes"]]
    graph = stocked.ok("get", f"{AT}/shop/versions/1/lineage")
    kinds = {node["kind"]: node for node in graph["nodes"]}
    assert set(kinds) == {"package", "model", "algorithm", "image"}
    assert (kinds["image"]["exists"], kinds["image"]["label"]) == (True, made["base_image"])
    found = stocked.ok("get", "/search?q=shop")
    assert [one["kind"] for one in found["items"]] == ["package"]
    stocked.ok("delete", f"{AT}/shop/versions/1")
    stocked.ok("delete", "/projects/tides/models/colours/versions/1")
    binned = {one["kind"] for one in stocked.ok("get", "/projects/tides/bin")["items"]}
    assert {"package_version", "model_version"} <= binned


def test_lists_find_by_name_state_and_maker(app: FastAPI, stocked: Person) -> None:
    made = build(stocked, models=["colours"])
    finish(app, made["id"])
    stocked.ok("post", AT, json={"name": "empty", "scene": "other"})
    by_state = stocked.ok("get", f"{AT}?state=completed")["items"]
    assert [one["name"] for one in by_state] == ["shop"]
    assert [one["name"] for one in stocked.ok("get", f"{AT}?q=emp&mine=true")["items"]] == ["empty"]
    page = stocked.ok("get", f"{AT}?sort=name&limit=1")
    assert ([one["name"] for one in page["items"]], page["total"]) == (["empty"], 2)
    after = stocked.ok("get", f"{AT}?sort=name&limit=1&cursor={page['next']}")
    assert [one["name"] for one in after["items"]] == ["shop"]
    stocked.ok("patch", f"{AT}/shop", json={"description": "second"})
    assert stocked.ok("get", f"{AT}/shop")["description"] == "second"
    answer = stocked.delete(f"{AT}/shop")
    assert (answer.status_code, code_of(answer)) == (409, "asset_has_versions")


def test_pickles_are_served_only_where_the_owner_allowed_them(api: Api, app: FastAPI, stocked: Person) -> None:
    put(app, "tides", "model", "pickled", {"model.pkl": b"\x80\x04."})
    answer = stocked.post(f"{AT}/shop/versions", json={"models": ["pickled"]})
    assert (answer.status_code, code_of(answer)) == (422, "package_pickles")
    assert answer.json()["error"]["field"] == "models"
    assert "details" not in answer.json()["error"]
    place = "/projects/tides/package-settings"
    assert stocked.put(place, json={"allow_pickles": True}).status_code == 403
    assert stocked.ok("get", place)["may_change"] is False
    owner = api.user("olga", project="tides", role="owner")
    refused = owner.post(f"{AT}/shop/versions", json={"models": ["pickled"]})
    assert refused.json()["error"]["details"] == {"link": "/p/tides?tab=settings"}
    assert owner.ok("put", place, json={"allow_pickles": True})["allow_pickles"] is True
    made = build(stocked, models=["pickled"])
    finish(app, made["id"])
    with app.state.db.read() as session:
        launch = launch_of(session, made["id"], caller_of(app, stocked))
    assert launch.environment["TIDEMILL_ALLOW_PICKLES"] == "1"


def test_strangers_see_nothing(api: Api, stocked: Person) -> None:
    build(stocked, models=["colours"])
    stranger = api.user("mallory")
    for path in (AT, f"{AT}/shop", f"{AT}/shop/versions/1", f"{AT}/shop/versions/1/export"):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"{AT}/shop/versions", json={"models": ["public/x"]}).status_code == 404


def test_a_model_is_packaged_once_and_launched(app: FastAPI, stocked: Person) -> None:
    by = caller_of(app, stocked)
    with app.state.db.read() as session:
        model = session.get_one(VersionRow, version_id(stocked, "models/colours"))
    app.state.facts.ensure(model.id)
    with app.state.db.write() as session:
        made = package_for_model(session, model, by=by)
        with pytest.raises(Conflict):
            launch_of(session, made.id, by)
    finish(app, made.id)
    with app.state.db.write() as session:
        assert package_for_model(session, model, by=by).id == made.id
        launch = launch_of(session, made.id, by)
    assert (launch.name, launch.image, launch.protocol, launch.models) == ("colours@1", None, "v2", ("colours",))
    assert (launch.command, launch.health_path) == (("sh", "package/start.sh"), "/v2/health/ready")
    assert [(one.version_id, one.target) for one in launch.inputs] == [(made.id, "package")]


def test_what_runs_a_version_keeps_it_and_is_in_its_lineage(
    app: FastAPI, stocked: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = build(stocked, models=["colours"])
    answer = stocked.delete(f"{AT}/shop/versions/1")
    assert (answer.status_code, code_of(answer)) == (409, "package_building")
    finish(app, made["id"])
    by = caller_of(app, stocked)
    use = Use(made["id"], "service", "svc_1", "front", "production", by.project.id, "tides", "/x", by.now, "ada")
    monkeypatch.setitem(uses._finders, "service", lambda _, ids: [use] if use.version_id in ids else [])
    answer = stocked.delete(f"{AT}/shop/versions/1")
    assert (answer.status_code, code_of(answer)) == (409, "in_use")
    assert [one["name"] for one in stocked.ok("get", f"{AT}/shop/versions/1")["users"]] == ["front"]
    graph = stocked.ok("get", "/projects/tides/models/colours/versions/1/lineage")
    assert ("front", "service") in [(node["label"], node["kind"]) for node in graph["nodes"]]
    assert "served_by" in [edge["relation"] for edge in graph["edges"]]


@pytest.mark.both_databases
def test_the_image_of_a_version_goes_with_it(app: FastAPI, stocked: Person) -> None:
    made = build(stocked, models=["colours"], requirements=["tide"])
    with app.state.db.read() as session:
        workload = session.get_one(WorkloadRow, made["workload_id"])
    folder = app.state.engine.workspace(workload.workspace) / "wheels"
    folder.mkdir(parents=True)
    write_wheel(folder, "tide", "1.0")
    finish(app, made["id"])
    image = stocked.ok("get", f"{AT}/shop/versions/1")["image"]
    (row,) = [one for one in stocked.ok("get", "/projects/tides/images")["items"] if one["reference"] == image]
    assert "tide==1.0" in row["packages"]
    answer = stocked.delete(f"/projects/tides/images/{row['id']}")
    assert (answer.status_code, code_of(answer)) == (409, "image_in_use")
    stocked.ok("delete", f"{AT}/shop/versions/1")
    (entry,) = stocked.ok("get", "/projects/tides/bin")["items"]
    stocked.ok("delete", f"/projects/tides/bin/{entry['id']}")
    finish_purges(app.state.db)
    sweep(app)
    assert stocked.ok("get", "/projects/tides/images")["items"] == []


def test_a_model_of_another_project_goes_in_for_whoever_may_read_it(api: Api, app: FastAPI, stocked: Person) -> None:
    api.project("seas")
    put(app, "seas", "model", "waves", model_files() | {"more.txt": b"of the seas"})
    answer = stocked.post(f"{AT}/shop/versions", json={"models": ["seas/waves"]})
    assert (answer.status_code, code_of(answer)) == (422, "reference_unknown")
    api.admin.ok("post", "/projects/seas/members", json={"user": "ada", "role": "viewer"})
    made = build(stocked, models=["seas/waves"])
    finish(app, made["id"])
    assert made["recipe"]["models"] == ["seas/waves@1"]
    assert stocked.get(f"{AT}/shop/versions/1/files/model/waves/more.txt").content == b"of the seas"


def version_id(who: Person, place: str) -> str:
    found: str = who.ok("get", f"/projects/tides/{place}/versions/1")["id"]
    return found


def caller_of(app: FastAPI, who: Person) -> Caller:
    """The person as services see them."""
    with app.state.db.read() as session:
        row = find_project(session, "tides")
        user = session.scalar(sa.select(UserRow).where(UserRow.name == who.name))
    assert row is not None
    assert user is not None
    return Caller(
        user_id=user.id,
        user_name=user.name,
        kind="system",
        is_administrator=False,
        address="",
        request_id="",
        language="en",
        now=utc_now(),
        project_ref=ProjectRef(row.id, row.name, row.is_public),
        permissions=frozenset({"package.read", "package.write", "model.read"}),
    )
