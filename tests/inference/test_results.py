"""What was found: filtered, sorted, downloaded, written back."""

import csv
import io
import json
from typing import Any

import pytest

from tests.conftest import Api
from tests.datasets.conftest import code_of, run_jobs
from tests.inference.conftest import AT, House
from tests.models.colours import model_files
from tests.models.conftest import publish, put
from tidemill.inference.results import finding, writing


@pytest.fixture
def found(house: House) -> dict[str, Any]:
    """A run that has ended."""
    house.entry()
    return house.do(house.start())


def paths(results: list[dict[str, Any]]) -> set[str]:
    return {one["path"].partition("/")[0] for one in results}


def test_results_are_found_by_label_score_error_and_path(house: House, found: dict[str, Any]) -> None:
    reds = house.page(found, label="red", limit=200)
    assert (reds["total"], paths(reds["items"])) == (25, {"red"})
    assert house.page(found, label="nobody")["total"] == 0
    errors = house.page(found, errors=True)
    assert (errors["total"], [one["path"] for one in errors["items"]]) == (1, ["broken.png"])
    assert paths(house.results(found, q="GREEN/", limit=6)) == {"green"}
    assert len(house.results(found, q="/1", label="red", limit=2)) == 11
    sure = house.results(found, min_score=0.99, limit=9)
    assert sure
    assert all(one["score"] >= 0.99 for one in sure)
    scores = [one["score"] for one in sure]
    assert scores == sorted(scores, reverse=True)
    page = house.page(found, min_score=0.9, max_score=1)
    assert (page["total"], page["total_capped"]) == (55, False)
    assert {one["seq"] for one in house.results(found, min_score=0.9, sort="seq", limit=10)} == {
        one["seq"] for one in house.results(found, min_score=0.9, sort="score", limit=10)
    }


def test_every_order_goes_through_all_of_them_once(house: House, found: dict[str, Any]) -> None:
    for sort in ("seq", "-seq", "score", "-score"):
        seqs = [one["seq"] for one in house.results(found, sort=sort, limit=7)]
        assert sorted(seqs) == list(range(1, 61)), sort
    cursor = house.page(found, sort="score", limit=7)["next"]
    answer = house.ada.get(f"{AT}/looking/runs/1/results", params={"sort": "seq", "cursor": cursor})
    assert code_of(answer) == "cursor_invalid"


def test_a_search_that_finds_little_goes_on_where_it_stopped(
    house: House, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "STRETCH", 5)
    monkeypatch.setattr(finding, "PATIENCE_S", 0.0)
    assert [one["path"] for one in house.results(found, q="broken")] == ["broken.png"]


def test_one_result_is_shown_with_its_item(house: House, found: dict[str, Any]) -> None:
    one = house.ada.ok("get", f"{AT}/looking/runs/1/results/1")
    assert (one["label"], one["path"], one["width"], one["height"]) == ("red", "red/0.png", 24, 16)
    assert set(one["probabilities"]) == {"red", "green", "blue"}
    assert code_of(house.ada.get(f"{AT}/looking/runs/1/results/9999")) == "inference_result_not_found"


def test_downloads_of_every_form_agree(house: House, found: dict[str, Any]) -> None:
    def download(form: str, **more: Any) -> str:
        answer = house.ada.get(f"{AT}/looking/runs/1/download", params={"format": form, **more})
        assert answer.status_code == 200, answer.text
        assert "attachment" in answer.headers["Content-Disposition"]
        return str(answer.text)

    whole = json.loads(download("json"))
    lines = [json.loads(line) for line in download("jsonl").splitlines()]
    assert whole["results"] == lines
    assert (whole["summary"]["items"], whole["summary"]["errors"]) == (60, 1)
    rows = list(csv.DictReader(io.StringIO(download("csv").removeprefix("\ufeff"))))
    assert [(int(row["seq"]), row["path"]) for row in rows] == [(line["seq"], line["path"]) for line in lines]
    said = [(one["label"], one["score"]) for line in lines for one in line["annotations"]]
    assert [(row["label"], float(row["score"])) for row in rows if row["label"]] == said
    strict = json.loads(download("json", threshold=0.999999))
    assert len(strict["results"]) == 60
    shards = house.ada.ok("get", f"{AT}/looking/runs/1/shards")["items"]
    text = "".join(house.ada.get(f"{AT}/looking/runs/1/shards/{one['number']}").text for one in shards)
    assert [json.loads(line) for line in text.splitlines()] == lines
    assert code_of(house.ada.get(f"{AT}/looking/runs/1/download", params={"format": "coco"})) == "inference_not_coco"


def test_boxes_are_downloaded_as_coco(house: House) -> None:
    from tidemill.inference.results import downloads
    from tidemill.inference.tables import InferenceRunRow

    run = InferenceRunRow(labels=[["boat", 1, 2]])
    box = {"type": "box", "label": "boat", "x": 1.0, "y": 2.0, "w": 3.0, "h": 4.0, "score": 0.5}
    line = {"seq": 1, "path": "a.png", "width": 24, "height": 16, "annotations": [box, {**box, "score": 0.25}]}
    made = json.loads(b"".join(downloads._coco(run, iter([[line], [{**line, "seq": 2, "annotations": []}]]))))
    assert [one["file_name"] for one in made["images"]] == ["a.png", "a.png"]
    assert [(one["bbox"], one["score"]) for one in made["annotations"]] == [([1, 2, 3, 4], 0.5), ([1, 2, 3, 4], 0.25)]
    assert made["categories"][0]["name"] == "boat"
    assert house.app is not None


def test_results_become_suggestions_of_a_draft(house: House, found: dict[str, Any]) -> None:
    red = house.desk.ok("get", "/labels")["items"][0]["number"]
    house.desk.saved(1, None, [{"type": "class", "label": red}])
    asked = house.ada.ok("post", f"{AT}/looking/runs/1/write-backs", json={"form": "suggestions", "threshold": 0.9})
    assert (asked["state"], asked["version"]) == ("waiting", 1)
    again = house.ada.post(f"{AT}/looking/runs/1/write-backs", json={"form": "suggestions"})
    assert code_of(again) == "inference_writing_back"
    run_jobs(house.app)
    done = house.ada.ok("get", f"{AT}/looking/runs/1/write-backs/{asked['id']}")
    assert (done["state"], done["counts"]) == ("done", {"written": 54, "kept": 1, "empty": 5})
    states = {name: count for name, count in house.desk.statistics()["states"].items() if count}
    assert states == {"suggested": 54, "labelled": 1, "unlabelled": 5}
    (one,) = house.desk.item(2)["annotations"]
    assert (one["auto"], one["source"], one["label"]) == (True, "colours@1", red)
    assert house.desk.ok("get", "/suggestions/summary")["suggested"] == 54
    assert house.desk.ok("post", "/suggestions/accept", json={"seqs": [2]})["changed"] == 1


def test_results_become_a_new_version_with_its_lineage(
    house: House, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "AT_ONCE", 7)
    publish(house.desk, house.app)
    answer = house.ada.post(f"{AT}/looking/runs/1/write-backs", json={"form": "suggestions"})
    assert code_of(answer) == "inference_no_draft"
    asked = house.ada.ok("post", f"{AT}/looking/runs/1/write-backs", json={"form": "version", "threshold": 0.9})
    assert asked["version"] is None
    run_jobs(house.app)
    (done,) = house.ada.ok("get", f"{AT}/looking/runs/1/write-backs")["items"]
    assert (done["state"], done["version"], done["counts"]) == ("done", 2, {"written": 55, "empty": 5})
    draft = house.desk.version(2)
    states = {name: count for name, count in draft.statistics()["states"].items() if count}
    assert states == {"labelled": 55, "unlabelled": 5}
    (one,) = draft.item(1)["annotations"]
    assert set(one) == {"id", "type", "label", "source"}
    graph = draft.ok("get", "/lineage")
    made = {(node["kind"], node["name"], str(node["version"])) for node in graph["nodes"]}
    assert {("inference", "looking", "1"), ("model", "colours", "1")} <= made


def test_labels_the_dataset_has_not_are_made_or_left_out(house: House) -> None:
    put(house.app, "tides", "model", "others", model_files(("rot", "gruen", "blau")))
    house.entry(source={"type": "model", "model": "others"})
    house.do(house.start())
    at = f"{AT}/looking/runs/1/write-backs"
    answer = house.ada.post(at, json={"form": "suggestions", "make_labels": False})
    assert code_of(answer) == "auto_nothing_mapped"
    mapping = {"rot": "red", "gruen": None, "blau": "blau"}
    for form in ("suggestions", "version"):
        for wrong, code in (({"x": "red"}, "of_model"), ({"rot": 99}, "of_dataset"), ({"rot": "new"}, "of_dataset")):
            answer = house.ada.post(at, json={"form": form, "mapping": wrong, "make_labels": False})
            assert code_of(answer) == f"auto_label_{code}", (form, wrong)
        assert code_of(house.ada.post(at, json={"form": form, "mapping": {"rot": None}})) == "auto_nothing_mapped"
    house.ada.ok("post", at, json={"form": "suggestions", "mapping": mapping})
    run_jobs(house.app)
    assert house.desk.statistics()["states"]["suggested"] == 35
    names = [one["name"] for one in house.desk.ok("get", "/labels")["items"]]
    assert names == ["red", "green", "blue", "blau"]


def test_labels_that_were_found_are_recognised_by_name(house: House) -> None:
    put(house.app, "tides", "model", "others", model_files(("Red", "greens", "mauve")))
    house.entry(source={"type": "model", "model": "others"})
    house.do(house.start())
    at = f"{AT}/looking/runs/1/write-backs/mapping"
    found = house.ada.ok("post", at, json={"form": "suggestions"})
    meant = {one["name"]: ((one["suggested"] or {}).get("name"), one["reason"]) for one in found["labels"]}
    assert meant == {"Red": ("red", "case"), "greens": ("green", "plural"), "mauve": (None, None)}
    assert (found["unmatched"], found["fits"], found["dataset"], found["version"]) == (1, True, "colours", 1)
    assert house.ada.ok("post", at, json={"form": "version"})["labels"] == found["labels"]


def test_strangers_get_nothing_and_viewers_only_look(api: Api, house: House, found: dict[str, Any]) -> None:
    eve = api.user("eve", project="tides", role="viewer")
    assert eve.ok("get", f"{AT}/looking/runs/1/results")["total"] == 60
    for verb, path in (
        ("post", "/looking/start"),
        ("post", "/looking/runs/1/stop"),
        ("post", "/looking/copy"),
        ("delete", "/looking/runs/1"),
        ("delete", "/looking"),
    ):
        options = {"json": {"name": "copy"}} if path.endswith("copy") else {}
        assert code_of(getattr(eve, verb)(f"{AT}{path}", **options)) == "forbidden_permission", path
    answer = eve.post(f"{AT}/looking/runs/1/write-backs", json={"form": "version"})
    assert code_of(answer) == "forbidden_permission"
    api.project("others")
    bob = api.user("bob", project="others", role="owner")
    for path in ("", "/looking", "/looking/runs/1", "/looking/runs/1/results", "/looking/runs/1/download"):
        assert bob.get(f"{AT}{path}").status_code in {403, 404}, path
        assert bob.get(f"/projects/others/inferences{path}").status_code == (404 if path else 200), path
