"""A model looks at a draft: suggestions, accepted and rejected and taken back, least certain first, label errors."""

from typing import Any

import pytest
from fastapi import FastAPI

from tests.conftest import Person
from tests.datasets.conftest import Desk, code_of, run_jobs
from tests.datasets.working import Works
from tests.models.colours import model_files, picture
from tests.models.conftest import colours, put
from tidemill.models.auto import accepting

MODEL = {"type": "model", "model": "colours"}


@pytest.fixture
def model(app: FastAPI, project: str) -> str:
    put(app, project, "model", "colours", model_files())
    return "colours@1"


@pytest.fixture
def looked(works: Works, desk: Desk, model: str) -> Desk:
    """Four red, three green and two grey pictures that nobody labelled; a model has looked at them."""
    colours(desk, {"red": 4, "green": 3, "grey": 2}, labelled=False)
    done = works.do(desk, "auto", source=MODEL, threshold=0.6)
    assert done["state"] == "done", done
    return desk


def states(desk: Desk) -> dict[str, int]:
    return {name: count for name, count in desk.statistics()["states"].items() if count}


def test_what_a_model_says_are_suggestions_with_their_source_and_score(looked: Desk) -> None:
    assert states(looked) == {"suggested": 7, "unlabelled": 2}
    item = looked.item(1)
    (one,) = item["annotations"]
    assert (one["type"], one["auto"], one["source"]) == ("class", True, "colours@1")
    assert one["score"] > 0.9
    history = looked.ok("get", "/items/1/history")["items"]
    assert [entry["reason"] for entry in history] == ["auto"]
    (work,) = looked.ok("get", "/auto")["items"]
    assert work["counts"] == {"looked": 9, "suggested": 7, "nothing": 2, "annotations": 7}
    assert work["mapping"]["red"]["name"] == "red"


def test_the_least_certain_come_first_page_by_page(looked: Desk) -> None:
    first = looked.ok("get", "/items", params={"sort": "uncertainty", "limit": 2})
    assert {item["path"].partition("/")[0] for item in first["items"]} == {"grey"}
    assert all(item["uncertainty"] > 0.9 for item in first["items"])
    everything = looked.seqs(sort="uncertainty", limit=2)
    assert sorted(everything) == list(range(1, 10))
    doubts = [looked.ok("get", "/items", params={"after": seq - 1, "limit": 1, "with": "doubt"}) for seq in everything]
    values = [page["items"][0]["uncertainty"] for page in doubts]
    assert values == sorted(values, reverse=True)
    assert len(looked.seqs(sort="uncertainty", state="suggested", limit=3)) == 7
    following = looked.ok("get", "/items/next", params={"after": everything[0], "sort": "uncertainty"})
    assert following["seq"] == everything[1]
    back = looked.ok("get", "/items/next", params={"after": everything[1], "sort": "uncertainty", "back": True})
    assert back["seq"] == everything[0]


def test_accepted_suggestions_are_annotations_and_can_be_taken_back_one_by_one(looked: Desk) -> None:
    done = looked.ok("post", "/suggestions/accept", json={"seqs": [1, 2]})
    assert (done["changed"], done["left"]) == (2, 0)
    (one,) = looked.item(1)["annotations"]
    assert set(one) == {"id", "type", "label", "source"}
    assert (looked.item(1)["state"], looked.item(1)["annotator"]) == ("labelled", "ada")
    changed = done["items"][0]
    looked.ok(
        "post",
        f"/items/{changed['seq']}/restore",
        json={"revision": changed["before"], "base": changed["revision"]},
    )
    assert looked.item(changed["seq"])["annotations"][0]["auto"] is True


def test_suggestions_are_accepted_by_filter_and_threshold(works: Works, desk: Desk, app: FastAPI) -> None:
    put(app, "tides", "model", "colours", model_files(sharpness=2.0))
    colours(desk, {"red": 3, "green": 2}, labelled=False)
    works.do(desk, "auto", source=MODEL, threshold=0.1)
    assert states(desk) == {"suggested": 5}
    score = desk.item(1)["annotations"][0]["score"]
    assert desk.ok("post", "/suggestions/accept", json={"filter": {}, "threshold": score + 0.05})["left"] == 5
    red = desk.ok("get", "/labels")["items"][0]["number"]
    done = desk.ok("post", "/suggestions/accept", json={"filter": {"label": red}, "threshold": score - 0.05})
    assert (done["changed"], states(desk)) == (3, {"suggested": 2, "labelled": 3})
    undone = desk.ok("post", "/suggestions/undo", json={"action": done["action"]})
    assert (undone["changed"], states(desk)) == (3, {"suggested": 5})
    assert desk.ok("post", "/suggestions/undo", json={"action": done["action"]})["changed"] == 0
    assert len(desk.seqs(sort="uncertainty")) == 5


def test_rejected_suggestions_go_and_the_item_is_unlabelled_again(looked: Desk) -> None:
    done = looked.ok("post", "/suggestions/reject", json={"filter": {"q": "red/"}})
    assert (done["changed"], states(looked)) == (4, {"unlabelled": 6, "suggested": 3})
    assert looked.item(1)["annotations"] == []
    looked.ok("post", "/suggestions/undo", json={"action": done["action"]})
    assert states(looked) == {"unlabelled": 2, "suggested": 7}


def test_many_are_accepted_in_the_background(app: FastAPI, looked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accepting, "HERE", 2)
    monkeypatch.setattr(accepting, "AT_ONCE", 2)
    done = looked.ok("post", "/suggestions/accept", json={"filter": {}})
    assert done["job"]
    run_jobs(app)
    assert states(looked) == {"labelled": 7, "unlabelled": 2}
    job = looked.person.ok("get", f"/projects/tides/jobs/{done['job']}")
    assert job["result"]["changed"] == 7


def test_an_edited_suggestion_is_a_label_and_no_longer_to_be_looked_at(looked: Desk) -> None:
    item = looked.item(1)
    green = looked.ok("get", "/labels")["items"][1]["number"]
    looked.saved(1, item["revision"], [{"type": "class", "label": green}])
    assert looked.item(1)["state"] == "labelled"
    assert 1 not in looked.seqs(sort="uncertainty", state="suggested")


def test_what_somebody_labelled_meanwhile_is_left_alone(works: Works, desk: Desk, model: str) -> None:
    red, green, _ = colours(desk, {"red": 3}, labelled=False)
    work = desk.ok("post", "/auto", json={"source": MODEL})
    office = works.office(desk, work)
    items = office.items

    def and_somebody_is_quicker(after: int = 0) -> Any:
        for line in list(items(after)):
            if line["seq"] == 2:
                desk.saved(2, None, [{"type": "class", "label": green}])
            yield line

    office.items = and_somebody_is_quicker  # type: ignore[method-assign]
    done = works.run(desk, work, office)
    assert done["counts"]["changed_meanwhile"] == 1
    assert desk.item(2)["annotations"][0]["label"] == green
    assert states(desk) == {"suggested": 2, "labelled": 1}
    assert red != green


def test_a_program_that_was_killed_goes_on_where_it_was(works: Works, desk: Desk, model: str) -> None:
    colours(desk, {"red": 40, "green": 40}, labelled=False)
    work = desk.ok("post", "/auto", json={"source": MODEL})
    office = works.office(desk, work)
    post, sent = office.post, []

    def killed_in_the_middle(what: str, body: Any) -> Any:
        if len(sent) == 1:
            raise KeyboardInterrupt
        sent.append(body)
        return post(what, body)

    office.post = killed_in_the_middle  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        works.run(desk, work, office)
    assert states(desk) == {"suggested": 32, "unlabelled": 48}
    done = works.run(desk, work)
    assert (done["state"], done["counts"]["looked"], done["counts"]["suggested"]) == ("done", 80, 80)
    assert states(desk) == {"suggested": 80}


def test_labels_are_recognised_by_case_number_and_language(app: FastAPI, desk: Desk) -> None:
    put(app, "tides", "model", "colours", model_files(("Red", "GREENS", "蓝色")))
    desk.labels("red", "green", "blue")
    found = desk.ok("post", "/auto/mapping", json={"source": MODEL})
    told = {one["name"]: (one["suggested"]["name"], one["reason"]) for one in found["labels"]}
    assert told == {"Red": ("red", "case"), "GREENS": ("green", "plural"), "蓝色": ("blue", "translation")}
    assert (found["unmatched"], found["fits"]) == (0, True)


def test_labels_can_be_mapped_left_out_and_made(works: Works, desk: Desk, model: str) -> None:
    colours(desk, {"red": 2, "green": 2}, labelled=False)
    body: dict[str, Any] = {"source": MODEL, "mapping": {"red": "rouge", "green": None}}
    assert code_of(desk.call("post", "/auto", json=body)) == "auto_label_of_dataset"
    assert code_of(desk.call("post", "/auto", json={**body, "mapping": {"pink": None}})) == "auto_nothing_mapped"
    assert code_of(desk.call("post", "/auto", json={**body, "mapping": {"pink": 1}})) == "auto_label_of_model"
    done = works.do(desk, "auto", **body, make_labels=True)
    assert done["mapping"]["red"]["name"] == "rouge"
    assert states(desk) == {"suggested": 2, "unlabelled": 2}


def test_a_model_for_another_task_is_refused(app: FastAPI, desk: Desk) -> None:
    put(app, "tides", "model", "reader", model_files(task="ocr"))
    answer = desk.call("post", "/auto", json={"source": {"type": "model", "model": "reader"}})
    assert code_of(answer) == "auto_other_task"
    assert not desk.ok("post", "/auto/mapping", json={"source": {"type": "model", "model": "reader"}})["fits"]


def test_a_second_model_waits_until_the_first_is_done(desk: Desk, model: str) -> None:
    colours(desk, {"red": 1}, labelled=False)
    first = desk.ok("post", "/auto", json={"source": MODEL})
    assert code_of(desk.call("post", "/auto", json={"source": MODEL})) == "auto_running"
    desk.ok("post", f"/auto/{first['id']}/stop")
    assert desk.ok("post", "/auto", json={"source": MODEL})["state"] == "waiting"


def test_wrong_labels_are_listed_the_surest_first_and_dismissed(works: Works, desk: Desk, model: str) -> None:
    red, green, _ = colours(desk, {"red": 12, "green": 12})
    wrong = [
        {
            "path": f"wrong/{n}.png",
            "annotations": [{"type": "class", "label": red}],
            **desk.keep(picture("green", 90 + n)),
        }
        for n in range(2)
    ]
    desk.ok("post", "/items/bulk", json={"items": wrong})
    done = works.do(desk, "auto", source=MODEL)
    assert done["counts"]["errors_found"] == 2
    page = desk.ok("get", "/label-errors", params={"limit": 1})
    (first,) = page["items"]
    assert (first["kind"], first["given"]["name"], first["predicted"]["name"]) == ("class", "red", "green")
    assert first["path"].startswith("wrong/")
    assert page["total"] == 2
    (second,) = desk.ok("get", "/label-errors", params={"limit": 1, "cursor": page["next"]})["items"]
    assert second["seq"] != first["seq"]
    item = desk.item(first["seq"])
    desk.saved(first["seq"], item["revision"], [{"type": "class", "label": green}])
    assert desk.ok("get", "/label-errors")["total"] == 1, "what was put right is no longer listed"
    assert desk.ok("post", "/label-errors/dismiss", json={"seqs": [second["seq"]]})["changed"] == 1
    assert desk.ok("get", "/label-errors")["total"] == 0


def test_annotators_accept_and_viewers_look(api: Any, looked: Desk, ann: Person) -> None:
    assert looked.as_(ann).ok("post", "/suggestions/accept", json={"seqs": [3]})["changed"] == 1
    assert looked.item(3)["annotator"] == "ann"
    assert code_of(looked.as_(ann).call("post", "/auto", json={"source": MODEL})) == "forbidden_permission"
    eve = api.user("eve", project="tides", role="viewer")
    assert code_of(looked.as_(eve).call("post", "/suggestions/accept", json={"seqs": [3]})) == "forbidden_permission"
    assert looked.as_(eve).ok("get", "/suggestions/summary")["suggested"] == 6


def test_the_summary_says_how_certain_the_suggestions_are(looked: Desk) -> None:
    found = looked.ok("get", "/suggestions/summary")
    assert (found["suggested"], found["looked_at"], found["source"]) == (7, 9, "colours@1")
    assert sum(found["by_certainty"]) == found["by_certainty"][9] == 7


def test_a_new_version_knows_what_models_thought(app: FastAPI, looked: Desk) -> None:
    looked.ok("post", "/copy", json={})
    run_jobs(app)
    draft = looked.version(2)
    assert draft.seqs(sort="uncertainty") == looked.seqs(sort="uncertainty")
