"""A model looks at a version: results are what the model says, once each, whatever happens on the way."""

import hashlib
import json
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conftest import Api
from tests.datasets.conftest import code_of
from tests.inference.conftest import AT, House
from tests.models.colours import model_files, picture
from tests.models.conftest import publish, put
from tidemill.inference import sweeping
from tidemill.inference.tables import RESULT_LABELS, RESULTS
from tidemill.inference.worker import journal
from tidemill.runtime import load


def predicted(house: House, run: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What the model itself says of each picture, by path."""
    workspace = house.workspace(run)
    model = load(workspace / "model/colours")
    paths = sorted((workspace / "dataset/colours").glob("*/*.png"))
    found = model.predict(paths)
    return {
        str(path.relative_to(workspace / "dataset/colours")): [one for one in said.annotations if one["score"] >= 0.6]
        for path, said in zip(paths, found, strict=True)
    }


def test_results_are_what_the_model_says_and_a_broken_picture_is_one_error(house: House) -> None:
    house.entry()
    run = house.start()
    assert (run["state"], run["total"], run["source"], run["dataset"]) == ("pending", 60, "colours@1", "colours@1")
    done = house.do(run)
    assert (done["state"], done["progress"], done["done"], done["errors"]) == ("completed", 100.0, 60, 1)
    assert done["task"] == "image-classification"
    assert {one["label"]: one["items"] for one in done["classes"]} == {"red": 25, "green": 20, "blue": 10}
    assert (done["empty"], done["annotations"]) == (4, 55)
    results = house.results(run, limit=7)
    assert [one["seq"] for one in results] == list(range(1, 61))
    expected = predicted(house, run)
    assert {one["path"]: one["annotations"] for one in results if not one["error"]} == expected
    (broken,) = [one for one in results if one["error"]]
    assert broken["path"] == "broken.png"
    assert house.ada.get(results[0]["content"].removeprefix("/api/v1")).content == picture("red", 0)
    assert results[0]["thumbnail"] == results[0]["content"].replace("/content", "/thumbnail")


def test_several_processes_say_the_same_in_the_same_order(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.inference.worker.program.AT_ONCE", 5)
    house.entry()
    one = house.do(house.start())
    house.ada.ok("patch", f"{AT}/looking", json={"settings": house.settings(workers=2)})
    two = house.do(house.start())
    first, second = house.results(one), house.results(two)
    assert [{**row, "error": bool(row["error"])} for row in first] == [
        {**row, "error": bool(row["error"])} for row in second
    ]


def test_a_program_that_is_killed_goes_on_after_its_last_line(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.inference.worker.program.AT_ONCE", 8)
    monkeypatch.setattr(journal, "SHARD_ITEMS", 16)
    house.entry()
    run = house.start()
    office = house.office(run)
    post, sent = office.post, []

    def killed(what: str, body: Any) -> Any:
        if what == "shards" and len(sent) == 2:
            raise KeyboardInterrupt
        sent.append(body)
        return post(what, body)

    office.post = killed  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        house.do(run, office)
    half = house.run(run)
    assert (half["state"], half["shards"]) == ("running", 2)
    assert len(house.results(run)) == 32
    cut = sorted((house.workspace(run) / ".work/results").glob("shard-*.jsonl"))[-1]
    with cut.open("ab") as lines:
        lines.write(b'{"seq": 99, "pa')
    done = house.do(run)
    assert (done["state"], done["done"]) == ("completed", 60)
    assert Counter(one["seq"] for one in house.results(run)) == Counter(range(1, 61))
    assert not list((house.workspace(run) / ".work/results").glob("shard-*"))


def test_what_was_sent_but_not_heard_of_is_not_kept_twice(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "SHARD_ITEMS", 16)
    monkeypatch.setattr("tidemill.inference.worker.program.AT_ONCE", 16)
    house.entry()
    run = house.start()
    office = house.office(run)
    post, lost = office.post, []

    def killed(what: str, body: Any) -> Any:
        found = post(what, body)
        if what == "shards" and not lost:
            lost.append(body)
            raise KeyboardInterrupt
        return found

    office.post = killed  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        house.do(run, office)
    assert house.do(run)["done"] == 60
    assert Counter(one["seq"] for one in house.results(run)) == Counter(range(1, 61))


def test_only_items_in_the_chosen_states_are_looked_at(house: House) -> None:
    red = house.desk.ok("get", "/labels")["items"][0]["number"]
    house.desk.saved(1, None, [{"type": "class", "label": red}])
    house.entry(states=["labelled"])
    done = house.do(house.start())
    assert (done["total"], done["done"], [one["seq"] for one in house.results(done)]) == (1, 1, [1])
    house.ada.ok("patch", f"{AT}/looking", json={"settings": house.settings(states=["aside"])})
    assert code_of(house.ada.post(f"{AT}/looking/start", json={})) == "inference_no_items"


def test_a_published_version_is_looked_at_and_what_comes_later_is_not(house: House) -> None:
    publish(house.desk, house.app)
    house.entry(dataset="colours@1")
    done = house.do(house.start())
    assert (done["state"], done["done"], done["dataset"]) == ("completed", 60, "colours@1")


def test_items_that_come_into_a_draft_later_are_left_out(house: House) -> None:
    house.entry()
    run = house.start()
    house.desk.add("late.png")
    assert house.do(run)["done"] == 60


def test_a_run_is_stopped_and_resumed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.inference.worker.program.AT_ONCE", 8)
    monkeypatch.setattr(journal, "SHARD_ITEMS", 8)
    house.entry()
    run = house.start()
    at = f"{AT}/looking/runs/{run['number']}"
    office = house.office(run)
    items = office.items

    def stopped_in_the_middle(after: int = 0) -> Any:
        for line in items(after):
            if line["seq"] == 30:
                raise KeyboardInterrupt
            yield line

    office.items = stopped_in_the_middle  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        house.do(run, office)
    assert code_of(house.ada.post(f"{at}/resume", json={})) == "inference_run_not_ended"
    assert code_of(house.ada.delete(at)) == "inference_run_not_ended"
    assert house.ada.ok("post", f"{at}/stop")["state"] == "stopping"
    house.move(run, "stopped")
    assert house.run(run)["can_resume"]
    resumed = house.ada.ok("post", f"{at}/resume", json={})
    assert (resumed["state"], resumed["id"], resumed["attempt"]) == ("pending", run["id"], 1)
    done = house.do(resumed)
    assert (done["state"], done["done"], done["attempt"]) == ("completed", 60, 2)
    assert Counter(one["seq"] for one in house.results(run)) == Counter(range(1, 61))
    assert code_of(house.ada.post(f"{at}/resume", json={})) == "inference_run_whole"


def test_a_model_that_is_not_what_it_says_fails_the_run_and_says_why(house: House) -> None:
    put(house.app, "tides", "model", "broken", {**model_files(), "model.onnx": b"not a model"})
    house.entry(source={"type": "model", "model": "broken"})
    failed = house.do(house.start())
    assert (failed["state"], failed["error"]["code"]) == ("failed", "model_unusable")
    said = house.ada.ok("get", f"{AT}/looking/runs/1", headers={"Accept-Language": "zh-CN"})
    assert "此模型无法使用" in said["error"]["message"]


def test_runs_keep_the_settings_they_were_started_with(house: House) -> None:
    house.entry()
    run = house.start(threshold=0.2)
    house.ada.ok("patch", f"{AT}/looking", json={"name": "renamed", "settings": house.settings(threshold=0.9)})
    again = house.ada.ok("get", f"{AT}/renamed/runs/1")
    assert (again["id"], again["name"], again["settings"]["threshold"]) == (run["id"], "looking-1", 0.2)
    assert again["settings"]["source"]["model"] == "colours@1"


def test_a_deleted_run_leaves_nothing(house: House) -> None:
    house.entry()
    run = house.do(house.start())
    assert code_of(house.ada.delete(f"{AT}/looking")) == "inference_has_runs"
    house.ada.ok("delete", f"{AT}/looking/runs/{run['number']}")
    assert code_of(house.ada.get(f"{AT}/looking/runs/1")) == "inference_run_not_found"
    assert sweeping.sweep(house.app.state.db) == 1
    with house.app.state.db.read() as session:
        for table in (RESULTS, RESULT_LABELS):
            assert not session.scalar(sa.select(sa.func.count()).select_from(table))
    house.ada.ok("delete", f"{AT}/looking")


def test_only_its_own_program_reports(api: Api, house: House) -> None:
    house.entry()
    first, second = house.start(), house.start()
    office = house.works.office(house.desk, {**second, "id": first["id"]}, "inference-works", ("inference.work",))
    with pytest.raises(Exception, match="work_not_found"):
        office.begin()
    assert code_of(house.ada.post(f"/projects/tides/inference-works/{first['id']}/begin")) == "forbidden_permission"


def test_a_shard_that_is_not_what_its_index_says_is_refused(house: House) -> None:
    house.entry()
    run = house.start()
    house.move(run, "starting", "running")
    office = house.office(run)
    office.begin()
    line = json.dumps({"seq": 1, "path": "a", "annotations": []}).encode() + b"\n"
    digest = hashlib.sha256(line).hexdigest()
    office.send({digest: line})
    body = {"number": 1, "after": 0, "sha256": digest, "size_bytes": len(line)}
    for rows in ([{"seq": 1, "start": 5, "length": len(line)}], [{"seq": 1, "start": 0, "length": 3}]):
        with pytest.raises(Exception, match="inference_shard_bad"):
            office.post("shards", {**body, "rows": rows})
    with pytest.raises(Exception, match="work_step"):
        office.post("shards", {**body, "after": 7, "rows": [{"seq": 8, "start": 0, "length": len(line)}]})
