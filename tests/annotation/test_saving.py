"""Saving annotations: revisions, conflicts, merges, repetition, history."""

from typing import Any

import pytest

from tests.conftest import Api, Person
from tests.datasets.conftest import Desk, ada, ann, box, code_of, desk, project  # noqa: F401 — fixtures


@pytest.fixture
def boats(desk: Desk) -> Desk:  # noqa: F811
    """A draft with three items and the labels 1 and 2."""
    assert desk.labels("boat", "buoy") == [1, 2]
    desk.add("a.jpg", "b.jpg", "c.jpg")
    return desk


def shape(id: str, label: int = 1, **fields: Any) -> dict[str, Any]:
    return {**box(label, **fields), "id": id}


def test_a_save_is_a_revision_by_somebody(boats: Desk) -> None:
    done = boats.saved(1, None, [shape("k1")])
    item = boats.item(1)
    assert (done["state"], done["annotations_count"], done["revision"]) == ("labelled", 1, item["revision"])
    assert (item["annotator"], item["annotations"]) == ("ada", [shape("k1")])


def test_a_save_on_something_older_is_told_what_is_there_now(boats: Desk, ann: Person) -> None:  # noqa: F811
    first = boats.saved(1, None, [shape("k1")])
    refused = boats.as_(ann).save(1, None, [shape("k2")])
    assert (refused.status_code, code_of(refused)) == (409, "annotation_conflict")
    details = refused.json()["error"]["details"]
    assert (details["revision"], details["annotations"]) == (first["revision"], [shape("k1")])
    assert details["annotator"] == "ada"
    assert boats.item(1)["annotations"] == [shape("k1")]


def test_the_same_save_sent_again_is_done_once(boats: Desk) -> None:
    first = boats.saved(1, None, [shape("k1")], key="entry-1")
    again = boats.saved(1, None, [shape("k1")], key="entry-1")
    assert again == first
    boats.saved(1, first["revision"], [shape("k1"), shape("k2")], key="entry-2")
    assert boats.saved(1, None, [shape("k1")], key="entry-1") == first
    assert len(boats.ok("get", "/items/1/history")["items"]) == 2


def test_a_key_is_not_used_for_something_else(boats: Desk) -> None:
    boats.saved(1, None, [shape("k1")], key="entry-1")
    assert code_of(boats.save(1, None, [shape("k2")], key="entry-1")) == "idempotency_key_reused"


def test_two_who_changed_different_annotations_are_joined(boats: Desk, ann: Person) -> None:  # noqa: F811
    base = boats.saved(1, None, [shape("k1"), shape("k2"), shape("k3")])["revision"]
    boats.saved(1, base, [shape("k1", x=99), shape("k2"), shape("k3")])
    done = boats.as_(ann).saved(1, base, [shape("k1"), shape("k3"), shape("k4")], merge=True)
    assert done["merged"] == [shape("k1", x=99), shape("k3"), shape("k4")]
    assert boats.item(1)["annotations"] == done["merged"]
    assert boats.item(1)["annotator"] == "ann"


def test_two_who_changed_the_same_annotation_must_choose(boats: Desk, ann: Person) -> None:  # noqa: F811
    base = boats.saved(1, None, [shape("k1"), shape("k2")])["revision"]
    boats.saved(1, base, [shape("k1", x=99), shape("k2")])
    refused = boats.as_(ann).save(1, base, [shape("k1", x=11), shape("k2")], merge=True)
    assert refused.json()["error"]["details"]["clashes"] == ["k1"]
    assert boats.item(1)["annotations"] == [shape("k1", x=99), shape("k2")]


def test_several_saves_are_answered_one_by_one(boats: Desk) -> None:
    boats.saved(2, None, [shape("k1")])
    saves = [
        {"seq": 1, "base": None, "annotations": [shape("k1")], "key": "a"},
        {"seq": 2, "base": None, "annotations": []},
        {"seq": 3, "base": None, "annotations": [shape("k1", label=9)]},
        {"seq": 99, "base": None, "annotations": []},
    ]
    answers = boats.ok("post", "/items/annotations", json={"saves": saves})["answers"]
    assert [(one["seq"], one["outcome"], one["code"]) for one in answers] == [
        (1, "saved", None),
        (2, "conflict", None),
        (3, "refused", "label_unknown"),
        (99, "refused", "item_not_found"),
    ]
    assert answers[1]["conflict"]["annotations"] == [shape("k1")]


def test_the_history_goes_back_and_can_be_restored(boats: Desk, ann: Person) -> None:  # noqa: F811
    first = boats.saved(1, None, [shape("k1")])["revision"]
    second = boats.as_(ann).saved(1, first, [], state="rework")["revision"]
    history = boats.ok("get", "/items/1/history?with=annotations")["items"]
    assert [(one["id"], one["parent"], one["author"], one["state"]) for one in history] == [
        (second, first, "ann", "rework"),
        (first, None, "ada", "labelled"),
    ]
    assert history[1]["annotations"] == [shape("k1")]
    back = boats.ok("post", "/items/1/restore", json={"revision": first, "base": second})
    assert (back["state"], boats.item(1)["annotations"]) == ("labelled", [shape("k1")])
    newest, *_ = boats.ok("get", "/items/1/history?limit=1")["items"]
    assert (newest["reason"], newest["parent"]) == ("restore", second)


def test_history_is_read_page_by_page(boats: Desk) -> None:
    base = None
    for place in range(5):
        base = boats.saved(1, base, [shape("k1", x=place)])["revision"]
    seen, before = [], None
    while True:
        page = boats.ok("get", "/items/1/history", params={"limit": 2, **({"before": before} if before else {})})
        seen += [one["id"] for one in page["items"]]
        before = page["next"]
        if before is None:
            break
    assert len(seen) == 5
    assert seen == sorted(seen, reverse=True)


def test_only_a_revision_of_the_item_itself_is_restored(boats: Desk) -> None:
    mine = boats.saved(1, None, [shape("k1")])["revision"]
    other = boats.saved(2, None, [shape("k1")])["revision"]
    refused = boats.call("post", "/items/1/restore", json={"revision": other, "base": mine})
    assert code_of(refused) == "revision_not_found"


def test_annotations_that_break_a_rule_are_refused(boats: Desk) -> None:
    broken: list[tuple[dict[str, Any], str]] = [
        ({"type": "box", "label": 1, "x": 1, "y": 1, "w": -1, "h": 1}, "invalid"),
        ({"type": "blob", "label": 1}, "invalid"),
        ({"type": "class"}, "invalid"),
        ({"type": "class", "label": 1, "shade": "red"}, "invalid"),
        ({"type": "polyline", "label": 1, "points": [1, 2, 3]}, "annotation_line"),
        ({"type": "segment", "start": 3, "end": 2}, "annotation_times"),
        ({"type": "keypoints", "label": 1, "points": [[1, 2, 7]]}, "annotation_visibility"),
        ({"type": "mask", "label": 1, "size": [2, 2], "rle": "11"}, "annotation_mask"),
        ({"type": "polygon", "label": 1, "rings": [[0, 0, 1, 0, 1, 1]], "holes": [1]}, "annotation_hole"),
        ({"type": "class", "label": 7}, "label_unknown"),
    ]
    assert [code_of(boats.save(1, None, [one])) for one, _ in broken] == [code for _, code in broken]
    assert code_of(boats.save(1, None, [shape("k1"), shape("k1")])) == "annotation_id_twice"
    assert boats.item(1)["revision"] is None


def test_every_type_of_annotation_is_kept_as_it_came(boats: Desk) -> None:
    given: list[dict[str, Any]] = [
        {"id": "a", **box(1, angle=30.5, attributes={"colour": "red", "old": True}, text="N 12", order=3)},
        {"id": "b", "type": "polygon", "label": 2, "rings": [[0, 0, 9, 0, 9, 9], [1, 1, 2, 1, 2, 2]], "holes": [1]},
        {"id": "c", "type": "mask", "label": 1, "size": [2, 2], "rle": "121"},
        {
            "id": "d",
            "type": "keypoints",
            "label": 1,
            "points": [[1.5, 2, 2], [0, 0, 0]],
            "x": 0,
            "y": 0,
            "w": 5,
            "h": 5,
        },
        {"id": "e", "type": "polyline", "label": 1, "points": [1, 2, 3, 4.25]},
        {"id": "f", "type": "point", "label": 1, "x": 1, "y": 2},
        {"id": "g", "type": "circle", "label": 2, "x": 1, "y": 2, "r": 3},
        {"id": "h", "type": "class", "label": 2, "score": 0.5, "source": "auto:grabcut"},
        {"id": "i", "type": "segment", "start": 0.5, "end": 2.25, "text": "中文"},
    ]
    boats.saved(1, None, given)
    assert boats.item(1)["annotations"] == given
    types = boats.statistics()["types"]
    assert types == {one["type"]: 1 for one in given}


def test_the_next_item_is_the_next_that_the_filter_finds(boats: Desk) -> None:
    boats.saved(2, None, [shape("k1")])
    assert boats.ok("get", "/items/next?state=unlabelled")["seq"] == 1
    assert boats.ok("get", "/items/next?state=unlabelled&after=1")["seq"] == 3
    assert boats.ok("get", "/items/next?state=unlabelled&after=3") is None
    assert boats.ok("get", "/items/next?after=3&back=true")["seq"] == 2


def test_a_viewer_reads_and_saves_nothing(boats: Desk, api: Api) -> None:
    vic = api.user("vic", project="tides", role="viewer")
    assert boats.as_(vic).item(1)["seq"] == 1
    assert boats.as_(vic).save(1, None, []).status_code == 403
