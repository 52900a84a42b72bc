"""Assets: made, found, described, deleted; by whom, and seen by whom."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.assets.conftest import Shelf, code_of
from tests.conftest import Api, Person

pytestmark = pytest.mark.both_databases


def test_a_new_asset_has_everything_the_contract_promises(models: Shelf, ada: Person) -> None:
    made = models.create("harbour", scene="object-detection", description="finds boats")
    assert made == models.get("harbour") == models.get(made["id"])
    assert made["id"].startswith("mdl_")
    expected = {
        "kind": "model", "name": "harbour", "project": "tides", "is_public": False, "scene": "object-detection",
        "description": "finds boats", "versions_count": 0, "latest_version": None, "size_bytes": 0, "created_by": "ada",
        "permissions": ["read", "write", "delete"],
    }  # fmt: skip
    assert {key: made[key] for key in expected} == expected


def test_only_the_description_can_be_changed(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    assert ada.ok("patch", models.at("harbour"), json={"description": "new"})["description"] == "new"
    for field in ("name", "scene", "created_by"):
        answer = ada.patch(models.at("harbour"), json={"description": "x", field: "other"})
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)


def test_names_are_unique_within_kind_and_project_whatever_their_case(
    models: Shelf, algorithms: Shelf, ada: Person
) -> None:
    models.create("Harbour")
    algorithms.create("Harbour")
    answer = ada.post(models.root, json={"name": "hARBOUR", "scene": "other"})
    assert answer.status_code == 409
    assert (code_of(answer), answer.json()["error"]["field"]) == ("name_taken", "name")
    assert models.get("HARBOUR")["name"] == "Harbour"


@pytest.mark.parametrize(
    "name", ["", "   ", "a/b", "a:b", "a*b", "a?b", 'a"b', "a<b", "a'b", "a|b", ".", "..", "x" * 51, "a\nb"]
)
def test_a_name_that_breaks_a_rule_is_refused_at_its_field(models: Shelf, ada: Person, name: str) -> None:
    answer = ada.post(models.root, json={"name": name, "scene": "other"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "name")


def test_a_scene_that_does_not_exist_is_refused_in_the_callers_language(models: Shelf, ada: Person) -> None:
    answer = ada.post(models.root, json={"name": "x", "scene": "cooking"}, headers={"Accept-Language": "zh-CN"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "scene")
    assert "必须是以下之一" in answer.json()["error"]["message"]


def test_an_unknown_kind_is_not_there(ada: Person) -> None:
    assert ada.get("/projects/tides/spoons").status_code == 404


def test_lists_search_filter_sort_and_page(models: Shelf, ada: Person, api: Api) -> None:
    for number in range(7):
        models.create(f"Boat {number}", scene="ocr" if number % 2 else "tabular")
    Shelf(api.admin, "tides", "models").create("Buoy", scene="ocr")

    def names(**query: Any) -> list[str]:
        return [item["name"] for item in ada.ok("get", models.root, params=query)["items"]]

    assert names(sort="name") == [*(f"Boat {n}" for n in range(7)), "Buoy"]
    assert names(sort="-created_at") == ["Buoy", *(f"Boat {n}" for n in reversed(range(7)))]
    assert names(q="BOAT 3") == ["Boat 3"]
    assert names(q="100%") == []
    assert names(scene="ocr", sort="name") == ["Boat 1", "Boat 3", "Boat 5", "Buoy"]
    assert names(mine=True, sort="name", scene="ocr") == ["Boat 1", "Boat 3", "Boat 5"]

    walked, cursor, totals = [], None, set()
    while True:
        page = ada.ok("get", models.root, params={"sort": "name", "limit": 3, **({"cursor": cursor} if cursor else {})})
        walked += [item["name"] for item in page["items"]]
        totals.add(page["total"])
        cursor = page["next"]
        if cursor is None:
            break
    assert walked == names(sort="name")
    assert totals == {8}


def test_a_viewer_reads_and_does_nothing_else(models: Shelf, vic: Person) -> None:
    models.create("harbour")
    view = Shelf(vic, "tides", "models")
    assert view.get("harbour")["permissions"] == ["read"]
    assert vic.post(view.root, json={"name": "x", "scene": "other"}).status_code == 403
    assert vic.patch(view.at("harbour"), json={"description": "x"}).status_code == 403
    assert vic.delete(view.at("harbour")).status_code == 403
    assert vic.post(f"{view.at('harbour')}/versions", json={}).status_code == 403


def test_another_project_sees_nothing(models: Shelf, eve: Person) -> None:
    made = models.create("harbour")
    models.draft("harbour")
    for where in ("tides", "elsewhere"):
        for name in ("harbour", made["id"]):
            shelf = Shelf(eve, where, "models")
            assert eve.get(shelf.at(name)).status_code == 404
            assert eve.get(f"{shelf.at(name)}/versions/1").status_code == 404
            assert eve.delete(shelf.at(name)).status_code == 404
    assert eve.ok("get", "/search", params={"q": "harbour"})["items"] == []


def test_everyone_reads_public_assets_and_only_administrators_write_them(public_models: Shelf, eve: Person) -> None:
    public_models.create("base")
    view = Shelf(eve, "public", "models")
    assert view.get("base")["is_public"] is True
    assert view.get("base")["permissions"] == ["read"]
    assert eve.post(view.root, json={"name": "mine", "scene": "other"}).status_code == 403


def test_an_asset_is_deleted_by_its_maker_or_an_administrator_only(models: Shelf, api: Api, ada: Person) -> None:
    models.create("first")
    models.create("second")
    bob = api.user("bob", project="tides", role="owner")
    answer = bob.delete(models.at("first"))
    assert (answer.status_code, code_of(answer)) == (403, "asset_not_yours")
    assert "ada" in answer.json()["error"]["message"]
    ada.ok("delete", models.at("first"))
    api.admin.ok("delete", models.at("second"))
    assert ada.ok("get", models.root)["total"] == 0


def test_an_asset_with_versions_left_is_not_deleted(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    models.draft("harbour")
    answer = ada.delete(models.at("harbour"))
    assert (answer.status_code, code_of(answer)) == (409, "asset_has_versions")
    models.delete("harbour", 1)
    models.delete("harbour")
    assert ada.get(models.at("harbour")).status_code == 404


def test_the_total_follows_every_making_and_deleting(models: Shelf, ada: Person) -> None:
    for name in ("a", "b", "c"):
        models.create(name)
    models.delete("b")
    assert ada.ok("get", models.root)["total"] == 2
    assert ada.ok("get", "/projects/tides")["assets_count"] == 2


def test_every_change_is_in_the_audit_log(models: Shelf, ada: Person, api: Api) -> None:
    models.create("harbour", description="old")
    ada.ok("patch", models.at("harbour"), json={"description": "new"})
    models.draft("harbour", note="first")
    models.delete("harbour", 1)
    models.delete("harbour")
    rows = api.admin.ok("get", "/projects/tides/audit", params={"q": "harbour"})["items"]
    assert [row["action"] for row in reversed(rows)] == [
        "model.create", "model.update", "model.create_version", "model.delete_version", "model.delete",
    ]  # fmt: skip
    update = rows[-2]
    assert (update["actor"], update["before"], update["after"]) == (
        "ada",
        {"description": "old"},
        {"description": "new"},
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=60))
def test_any_name_is_kept_exactly_or_refused(models: Shelf, ada: Person, name: str) -> None:
    answer = ada.post(models.root, json={"name": name, "scene": "other"})
    assert answer.status_code in {201, 409, 422}, answer.text
    if answer.status_code == 201:
        assert models.get(answer.json()["name"])["id"] == answer.json()["id"]
