"""Search over names: what the caller may read, the likest first."""

import pytest

from tests.assets.conftest import Shelf
from tests.conftest import Api, Person

pytestmark = pytest.mark.both_databases


def found(person: Person, q: str, **query: int) -> list[tuple[str, str]]:
    items = person.ok("get", "/search", params={"q": q, **query})["items"]
    return [(item["kind"], item["name"]) for item in items]


def test_the_same_name_comes_first_then_beginnings_then_the_rest(models: Shelf, algorithms: Shelf, ada: Person) -> None:
    for name in ("old harbour", "harbour light", "Harbour"):
        models.create(name)
    algorithms.create("harbour")
    assert found(ada, "HARBOUR") == [
        ("algorithm", "harbour"),
        ("model", "Harbour"),
        ("model", "harbour light"),
        ("model", "old harbour"),
    ]
    assert len(found(ada, "harbour", limit=2)) == 2
    assert found(ada, "%") == []
    assert found(ada, "  ") == []


def test_everybody_finds_their_own_the_public_and_nothing_else(
    models: Shelf, public_models: Shelf, ada: Person, eve: Person, api: Api
) -> None:
    models.create("tide table")
    public_models.create("tide chart")
    assert found(ada, "tide") == [("model", "tide chart"), ("model", "tide table"), ("project", "tides")]
    assert found(eve, "tide") == [("model", "tide chart")]
    assert found(eve, "ada") == []
    assert ("user", "ada") in found(api.admin, "ada")
    assert ("model", "tide table") in found(api.admin, "tide")


def test_deleted_things_are_not_found(models: Shelf, ada: Person, api: Api) -> None:
    models.create("harbour")
    models.delete("harbour")
    assert found(ada, "harbour") == []
    models.create("pier")
    api.admin.ok("delete", "/projects/tides")
    assert found(ada, "pier") == found(api.admin, "pier") == []


def test_an_annotator_finds_no_assets(models: Shelf, api: Api) -> None:
    models.create("harbour")
    anna = api.user("anna", project="tides", role="annotator")
    assert found(anna, "harbour") == []
    assert found(anna, "tides") == [("project", "tides")]


def test_a_link_leads_to_the_thing(models: Shelf, ada: Person) -> None:
    models.create("Größe 大 #1")
    (item,) = ada.ok("get", "/search", params={"q": "größe"})["items"]
    assert item["link"] == "/p/tides/models/Gr%C3%B6%C3%9Fe%20%E5%A4%A7%20%231"
