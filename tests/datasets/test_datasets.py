"""Datasets and their versions: made, listed, renamed, deleted."""

from tests.conftest import Api, Person
from tests.datasets.conftest import Desk, code_of


def test_a_dataset_has_a_type_of_data_and_one_of_annotation(desk: Desk) -> None:
    found = desk.person.ok("get", f"{desk.root}/boats")
    assert (found["data_type"], found["annotation_type"], found["scene"]) == ("image", "detection", "object-detection")
    assert found["latest"] == {"number": 1, "state": "draft", "items": 0, "done": 0, "aside": 0, "progress": 0.0}


def test_an_annotation_type_that_does_not_fit_the_data_is_refused(desk: Desk) -> None:
    body = {"name": "odd", "data_type": "audio", "annotation_type": "keypoints"}
    answer = desk.person.post(desk.root, json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["details"][0]["code"] == "annotation_type_unfit"


def test_datasets_are_found_by_name_and_by_type(desk: Desk) -> None:
    desk.begin("birds", data="audio", kind="audio-classification")

    def names(query: str) -> list[str]:
        return sorted(one["name"] for one in desk.person.ok("get", f"{desk.root}?{query}")["items"])

    assert names("") == ["birds", "boats"]
    assert names("q=oat") == ["boats"]
    assert names("data_type=audio") == ["birds"]
    assert names("annotation_type=detection") == ["boats"]


def test_only_the_name_can_be_changed(desk: Desk) -> None:
    assert desk.person.ok("patch", f"{desk.root}/boats", json={"name": "ships"})["name"] == "ships"
    assert code_of(desk.person.patch(f"{desk.root}/ships", json={"data_type": "text"})) == "invalid"
    assert desk.person.get(f"{desk.root}/boats").status_code == 404


def test_a_dataset_is_deleted_only_without_versions(desk: Desk) -> None:
    assert code_of(desk.person.delete(f"{desk.root}/boats")) == "asset_has_versions"
    desk.ok("delete")
    desk.person.ok("delete", f"{desk.root}/boats")
    assert desk.person.get(f"{desk.root}/boats").status_code == 404


def test_files_of_a_dataset_are_not_written_by_hand(desk: Desk) -> None:
    answer = desk.call("put", "/files/notes.txt", content=b"x")
    assert (answer.status_code, code_of(answer)) == (409, "dataset_files_by_import")


def test_an_annotator_reads_and_annotates_and_no_more(desk: Desk, ann: Person) -> None:
    desk.add("a.jpg")
    (boat,) = desk.labels("boat")
    theirs = desk.as_(ann)
    base = theirs.item(1)["revision"]
    theirs.saved(1, base, [{"type": "class", "label": boat}])
    assert theirs.call("put", "/labels", json={"labels": []}).status_code == 403
    assert ann.post(desk.root, json={}).status_code == 403


def test_a_stranger_finds_nothing(desk: Desk, api: Api) -> None:
    desk.add("a.jpg")
    eve = api.user("eve", project=api.project("elsewhere"))
    assert desk.as_(eve).call("get", "/items").status_code == 404
    assert desk.as_(eve).call("get", "/items/1/content").status_code == 404
