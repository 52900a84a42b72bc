"""Versions: drafts are edited, committed ones never change, the next one shares until it differs."""

import pytest

from tests.assets.conftest import Shelf, code_of, sha, used_bytes
from tests.conftest import Api, Person
from tidemill.assets.tables import VersionRow
from tidemill.kernel.clock import utc_now
from tidemill.store import trees
from tidemill.store.tables import BlobRow


def test_a_draft_is_edited_and_committed_and_then_never_changes(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    draft = models.draft("harbour", note="first try")
    assert (draft["number"], draft["state"], draft["files"], draft["can_edit"]) == (1, "draft", 0, True)
    assert (draft["name"], draft["digest"], draft["origin"]) == ("harbour@1", None, "new")
    models.save("harbour", 1, "src/train.py", "print('hello')\n")
    done = models.commit("harbour", 1, note="works")
    assert (done["state"], done["note"], done["files"], done["can_edit"]) == ("committed", "works", 1, False)
    assert done["origin"] == "upload"
    assert done["size_bytes"] == len("print('hello')\n")
    assert done["committed_at"] is not None
    assert len(done["digest"]) == 64

    at = models.at("harbour", 1)
    for answer in (
        ada.put(f"{at}/files/src/train.py", content=b"other"),
        ada.post(f"{at}/files/delete", json={"paths": ["src"]}),
        ada.post(f"{at}/files/move", json={"moves": [{"from": "src", "to": "lib"}]}),
        ada.post(f"{at}/files/folder", json={"path": "new"}),
        ada.post(f"{at}/files/attach", json={"entries": [{"path": "a", "sha256": sha(b"x"), "size_bytes": 1}]}),
        ada.post(f"{at}/commit", json={}),
    ):
        assert (answer.status_code, code_of(answer)) == (409, "version_committed")
    assert models.read("harbour", 1, "src/train.py") == b"print('hello')\n"


def test_an_empty_draft_is_not_committed(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    models.draft("harbour")
    answer = ada.post(f"{models.at('harbour', 1)}/commit", json={})
    assert (answer.status_code, code_of(answer)) == (409, "empty_version")


def test_the_next_version_shares_everything_until_it_is_changed(models: Shelf, api: Api) -> None:
    models.committed("harbour", {"a.txt": "one", "b/c.txt": "two"})
    before = used_bytes(api, "tides")
    draft = models.draft("harbour", **{"from": "1"})
    assert (draft["number"], draft["files"], draft["origin"]) == (2, 2, "copy")
    assert used_bytes(api, "tides") == before
    models.save("harbour", 2, "a.txt", "changed")
    assert models.read("harbour", 1, "a.txt") == b"one"
    assert models.read("harbour", 2, "a.txt") == b"changed"
    assert models.read("harbour", 2, "b/c.txt") == b"two"
    assert used_bytes(api, "tides") == before + len("changed")


def test_two_drafts_of_one_source_do_not_see_each_other(models: Shelf) -> None:
    models.committed("harbour", {"a.txt": "one"})
    models.draft("harbour", **{"from": "1"})
    models.draft("harbour", **{"from": "2"})
    models.save("harbour", 2, "a.txt", "two")
    models.save("harbour", 3, "a.txt", "three")
    assert [models.read("harbour", n, "a.txt") for n in (1, 2, 3)] == [b"one", b"two", b"three"]


def test_a_draft_that_was_sealed_by_a_commit_that_never_finished_can_still_be_edited(models: Shelf, api: Api) -> None:
    models.create("harbour")
    version = models.draft("harbour")
    models.save("harbour", 1, "a.txt", "one")
    state = api.app.state
    with state.db.read() as session:
        tree_id = session.get_one(VersionRow, version["id"]).tree_id
    trees.seal(state.db, state.store, tree_id, utc_now())
    assert models.get("harbour", 1)["state"] == "draft"
    assert models.get("harbour", 1)["digest"] is None
    models.save("harbour", 1, "b.txt", "two")
    assert set(models.paths("harbour", 1)) == {"a.txt", "b.txt"}
    assert models.commit("harbour", 1)["files"] == 2


def test_the_same_files_have_the_same_digest_whoever_made_them(models: Shelf, algorithms: Shelf) -> None:
    first = models.committed("harbour", {"a": "1", "b": "2"})
    models.create("other")
    models.draft("other")
    models.save("other", 1, "b", "2")
    models.save("other", 1, "c", "3")
    models.save("other", 1, "a", "1")
    models.person.ok("post", f"{models.at('other', 1)}/files/delete", json={"paths": ["c"]})
    assert models.commit("other", 1)["digest"] == first["digest"]
    assert algorithms.committed("third", {"a": "1"})["digest"] != first["digest"]


def test_numbers_are_never_used_again_and_latest_is_the_newest_there_is(models: Shelf) -> None:
    models.create("harbour")
    for _ in range(3):
        models.draft("harbour")
    models.delete("harbour", 3)
    assert models.get("harbour", "latest")["number"] == 2
    assert models.get("harbour")["latest_version"] == 2
    assert models.draft("harbour")["number"] == 4
    assert models.get("harbour")["versions_count"] == 3


def test_versions_are_listed_newest_first(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    for _ in range(7):
        models.draft("harbour")
    page = ada.ok("get", f"{models.at('harbour')}/versions", params={"limit": 5})
    assert ([item["number"] for item in page["items"]], page["total"]) == ([7, 6, 5, 4, 3], 7)
    rest = ada.ok("get", f"{models.at('harbour')}/versions", params={"limit": 5, "cursor": page["next"]})
    assert ([item["number"] for item in rest["items"]], rest["next"]) == ([2, 1], None)


@pytest.mark.parametrize("number", ["0", "x", "1.5", "-1", "99999999999999999999", "newest"])
def test_what_is_not_a_version_number_is_refused(models: Shelf, ada: Person, number: str) -> None:
    models.create("harbour")
    assert ada.get(f"{models.at('harbour')}/versions/{number}").status_code in {404, 422}


def test_a_version_starts_from_another_asset_and_from_a_public_one(
    models: Shelf, public_models: Shelf, api: Api
) -> None:
    public_models.committed("base", {"weights.onnx": "w" * 1000})
    models.committed("mine", {"x": "y"})
    models.create("harbour")
    assert models.draft("harbour", **{"from": "mine@1"})["files"] == 1
    before = used_bytes(api, "tides")
    assert models.draft("harbour", **{"from": "public/base@latest"})["size_bytes"] == 1000
    assert used_bytes(api, "tides") == before + 1000
    assert models.read("harbour", 2, "weights.onnx") == b"w" * 1000
    with api.app.state.db.read() as session:
        assert session.get(BlobRow, sha("w" * 1000)) is not None


@pytest.mark.parametrize(
    "reference", ["9", "nothing@1", "elsewhere/secret@1", "public/nothing", "algorithm:x@1", "a/b/c@1"]
)
def test_a_version_cannot_start_from_what_the_caller_cannot_read(
    models: Shelf, ada: Person, eve: Person, reference: str
) -> None:
    Shelf(eve, "elsewhere", "models").committed("secret", {"a": "b"})
    models.create("harbour")
    answer = ada.post(f"{models.at('harbour')}/versions", json={"from": reference})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "from")
    assert models.get("harbour")["versions_count"] == 0


def test_models_carry_format_metrics_and_signature_and_algorithms_do_not(
    models: Shelf, algorithms: Shelf, ada: Person
) -> None:
    models.committed("harbour", {"model.onnx": "x"})
    signature = {"inputs": [{"name": "x", "type": "float32", "shape": [1, -1, "batch", None]}], "outputs": []}
    body = {"format": "onnx", "metrics": {"accuracy": 0.93}, "signature": signature, "note": "n"}
    changed = ada.ok("patch", models.at("harbour", 1), json=body)
    assert {key: changed[key] for key in body} == body
    assert ada.ok("patch", models.at("harbour", 1), json={"format": None})["format"] is None
    algorithms.committed("trainer", {"train.py": "x"})
    answer = ada.patch(algorithms.at("trainer", 1), json={"metrics": {"accuracy": 1}})
    assert (answer.status_code, code_of(answer)) == (422, "field_not_of_kind")
    assert ada.ok("patch", algorithms.at("trainer", 1), json={"note": "ok"})["note"] == "ok"


def test_a_metric_that_is_no_number_is_refused(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    models.draft("harbour")
    for metrics in ({"a": "NaN-ish"}, {"": 1}, {"x" * 51: 1}, {str(n): 1 for n in range(201)}):
        assert ada.patch(models.at("harbour", 1), json={"metrics": metrics}).status_code == 422
    answer = ada.patch(
        models.at("harbour", 1), content=b'{"metrics": {"a": NaN}}', headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"model.onnx": b"x", "labels.txt": b"a"}, "onnx"),
        ({"a/saved_model.pb": b"x", "a/variables/v": b"y"}, "savedmodel"),
        ({"net.tflite": b"x"}, "tflite"),
        ({"net.keras": b"x"}, "keras"),
        ({"w.safetensors": b"x", "config.json": b"{}"}, "safetensors"),
        ({"model.pt": b"PK\x03\x04....archive/data.pkl"}, "pytorch"),
        ({"model.pt": b"PK\x03\x04....archive/code/__torch__.py archive/constants.pkl"}, "torchscript"),
        ({"model.joblib": b"x"}, "sklearn"),
        ({"net.xml": b'<?xml version="1.0"?><net name="x" version="11">', "net.bin": b"x"}, "openvino"),
        ({"notes.xml": b"<html>", "README.md": b"x"}, None),
        ({"model.json": b'{"learner":{"attributes":{}}}'}, "xgboost"),
        ({"flood.json": b'{ "learner": {}}', "notes.txt": b"x"}, "xgboost"),
        ({"model.ubj": b"{L"}, "xgboost"),
        ({"model.txt": b"tree\nversion=v4\n", "config.json": b"{}"}, "lightgbm"),
        ({"model.json": b'{"task": "other"}', "notes.txt": b"trees"}, None),
    ],
)
def test_committing_a_model_finds_its_format(models: Shelf, files: dict[str, bytes], expected: str | None) -> None:
    assert models.committed("harbour", files)["format"] == expected


def test_a_format_that_was_set_stays(models: Shelf, ada: Person) -> None:
    models.create("harbour")
    models.draft("harbour")
    models.save("harbour", 1, "a.onnx")
    ada.ok("patch", models.at("harbour", 1), json={"format": "my-own"})
    assert models.commit("harbour", 1)["format"] == "my-own"


def test_comparing_lists_what_was_added_removed_and_changed(models: Shelf, ada: Person) -> None:
    models.committed("harbour", {"same": "1", "gone": "22", "changed": "333"})
    models.draft("harbour", **{"from": "1"})
    models.save("harbour", 2, "changed", "4444")
    models.save("harbour", 2, "new", "55555")
    ada.ok("post", f"{models.at('harbour', 2)}/files/delete", json={"paths": ["gone"]})
    compared = ada.ok("get", f"{models.at('harbour', 2)}/compare", params={"with": "1"})
    assert compared["items"] == [
        {"path": "changed", "change": "changed", "size_bytes": 4, "old_size_bytes": 3},
        {"path": "gone", "change": "removed", "size_bytes": None, "old_size_bytes": 2},
        {"path": "new", "change": "added", "size_bytes": 5, "old_size_bytes": None},
    ]
    first = ada.ok("get", f"{models.at('harbour', 2)}/compare", params={"with": "1", "limit": 2})
    rest = ada.ok("get", f"{models.at('harbour', 2)}/compare", params={"with": "1", "cursor": first["next"]})
    assert [*first["items"], *rest["items"]] == compared["items"]


def test_the_assets_size_is_that_of_its_live_versions(models: Shelf) -> None:
    models.committed("harbour", {"a": "12345"})
    models.draft("harbour", **{"from": "1"})
    models.save("harbour", 2, "b", "123")
    assert models.get("harbour")["size_bytes"] == 5 + 8
    models.delete("harbour", 1)
    assert models.get("harbour")["size_bytes"] == 8
    assert models.get("harbour", 2)["size_bytes"] == 8
