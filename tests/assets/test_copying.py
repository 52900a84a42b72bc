"""Copies and forks: rows, no bytes."""

from tests.assets.conftest import Shelf, code_of, sha, used_bytes
from tests.conftest import Api, Person, count
from tidemill.store.tables import BlobRow


def test_a_public_asset_is_forked_into_my_project_without_bytes(
    public_models: Shelf, models: Shelf, ada: Person, api: Api
) -> None:
    public_models.committed("base", {"w": "weights", "README.md": "hi"}, scene="ocr", description="of all")
    blobs = count(api.app.state.db, BlobRow)
    copied = ada.ok("post", f"{public_models.at('base')}/copy", json={"name": "mine", "to_project": "tides"})
    assert (copied["project"], copied["is_public"], copied["scene"]) == ("tides", False, "ocr")
    assert (copied["created_by"], copied["versions_count"]) == ("ada", 1)
    assert copied["permissions"] == ["read", "write", "delete"]
    assert count(api.app.state.db, BlobRow) == blobs
    assert used_bytes(api, "tides") == len("weights") + len("hi")
    assert models.paths("mine", 1) == {"w": sha("weights"), "README.md": sha("hi")}
    models.save("mine", 1, "w", "my own")
    assert public_models.read("base", 1, "w") == b"weights"
    assert models.get("mine", 1)["state"] == "draft"


def test_a_copy_takes_the_newest_committed_version_unless_told(models: Shelf, ada: Person) -> None:
    models.committed("base", {"w": "1"})
    models.next("base", {"w": "2"})
    models.draft("base", **{"from": "2"})
    models.save("base", 3, "w", "3")
    for name, version, expected in (("a", None, b"2"), ("b", 1, b"1"), ("c", 3, b"3")):
        ada.ok("post", f"{models.at('base')}/copy", json={"name": name, "version": version})
        assert models.read(name, 1, "w") == expected
    assert ada.post(f"{models.at('base')}/copy", json={"name": "d", "version": 9}).status_code == 404


def test_copying_needs_permission_where_it_goes(
    models: Shelf, ada: Person, eve: Person, vic: Person, public_models: Shelf
) -> None:
    models.committed("base", {"w": "1"})
    public_models.committed("shared", {"w": "1"})
    for person, at, body, status in (
        (ada, models.at("base"), {"name": "x", "to_project": "elsewhere"}, 404),
        (ada, models.at("base"), {"name": "x", "to_project": "public"}, 403),
        (ada, public_models.at("shared"), {"name": "x"}, 403),
        (vic, models.at("base"), {"name": "x"}, 403),
        (eve, models.at("base"), {"name": "x", "to_project": "elsewhere"}, 404),
    ):
        assert person.post(f"{at}/copy", json=body).status_code == status, body


def test_a_copy_over_the_storage_limit_leaves_nothing(api: Api, public_models: Shelf) -> None:
    public_models.committed("base", {"w": "w" * 100})
    api.project("small", storage_limit_bytes=50)
    bob = api.user("bob", project="small")
    answer = bob.post(f"{public_models.at('base')}/copy", json={"name": "mine", "to_project": "small"})
    assert (answer.status_code, code_of(answer)) == (413, "storage_limit")
    assert bob.ok("get", "/projects/small/models")["total"] == 0
    assert used_bytes(api, "small") == 0


def test_a_taken_name_is_refused_at_its_field(models: Shelf, ada: Person) -> None:
    models.committed("base", {"w": "1"})
    answer = ada.post(f"{models.at('base')}/copy", json={"name": "BASE"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (409, "name")


def test_an_asset_without_versions_is_copied_as_such(models: Shelf, ada: Person) -> None:
    models.create("empty")
    assert ada.ok("post", f"{models.at('empty')}/copy", json={"name": "other"})["versions_count"] == 0
