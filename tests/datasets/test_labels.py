"""Labels of versions, and label sets."""

from typing import Any

from tests.datasets.conftest import Desk, box, code_of


def put(desk: Desk, *labels: dict[str, Any]) -> Any:
    return desk.call("put", "/labels", json={"labels": list(labels)})


def named(answer: Any) -> list[tuple[int, str, int | None]]:
    assert answer.is_success, answer.text
    return [(one["number"], one["name"], one["parent"]) for one in answer.json()["items"]]


def test_labels_keep_their_numbers_and_numbers_are_not_used_again(desk: Desk) -> None:
    assert named(put(desk, {"name": "boat"}, {"name": "buoy"})) == [(1, "boat", None), (2, "buoy", None)]
    assert named(put(desk, {"number": 1, "name": "ship"}, {"name": "gull"})) == [(1, "ship", None), (3, "gull", None)]
    assert desk.labels("gull", "crane") == [3, 4]


def test_labels_have_two_levels_colours_attributes_and_skeletons(desk: Desk) -> None:
    skeleton = {"points": ["bow", "stern"], "edges": [[0, 1]], "flips": []}
    attributes = [{"name": "colour", "type": "choice", "choices": ["red", "green"]}]
    first = put(
        desk,
        {"name": "boat", "colour": "#ff0000", "shortcut": "b", "attributes": attributes, "skeleton": skeleton},
        {"name": "ferry", "parent_name": "boat"},
    )
    assert named(first) == [(1, "boat", None), (2, "ferry", 1)]
    label = first.json()["items"][0]
    assert (label["colour"], label["shortcut"], label["skeleton"]) == ("#ff0000", "b", skeleton)
    assert label["attributes"][0]["choices"] == ["red", "green"]
    changed = desk.ok("patch", "/labels/2", json={"name": "barge", "colour": "#00ff00"})
    assert (changed["name"], changed["colour"], changed["parent"]) == ("barge", "#00ff00", 1)


def test_labels_that_break_a_rule_are_refused(desk: Desk) -> None:
    desk.labels("boat", "buoy")
    desk.add("a.jpg", annotations=[box(1)])
    assert code_of(put(desk, {"number": 2, "name": "buoy"})) == "label_in_use"
    assert code_of(desk.call("delete", "/labels/1")) == "label_in_use"
    assert code_of(put(desk, {"number": 1, "name": "x"}, {"number": 2, "name": "x"})) == "label_name_taken"
    assert code_of(put(desk, {"number": 1, "name": "x", "parent": 9})) == "label_parent"
    assert code_of(put(desk, {"number": 8, "name": "x"})) == "label_not_found"
    broken = {"name": "x", "skeleton": {"points": ["a"], "edges": [[0, 1]]}}
    assert code_of(put(desk, broken)) == "invalid"
    assert [one["name"] for one in desk.ok("get", "/labels")["items"]] == ["boat", "buoy"]
    desk.ok("delete", "/labels/2")
    assert desk.labels("boat") == [1]


def test_a_label_that_somebody_added_meanwhile_stays_unless_it_was_seen(desk: Desk) -> None:
    desk.labels("boat", "buoy")
    seen = [1, 2]
    desk.labels("gull")
    ordered = {"labels": [{"number": 2, "name": "buoy"}, {"name": "crane"}], "known": seen}
    assert named(desk.call("put", "/labels", json=ordered)) == [
        (2, "buoy", None),
        (4, "crane", None),
        (3, "gull", None),
    ]
    assert [one["name"] for one in desk.ok("get", "/labels")["items"]] == ["buoy", "crane", "gull"]
    under = {"name": "ferry", "parent_name": "buoy"}
    desk.ok("post", "/labels", json={"labels": [under]})
    without = {"labels": [{"number": 3, "name": "gull"}], "known": [2, 3, 4]}
    assert code_of(desk.call("put", "/labels", json=without)) == "label_has_children"
    taken = {"labels": [{"number": 2, "name": "buoy"}, {"name": "gull"}], "known": [2, 4]}
    assert code_of(desk.call("put", "/labels", json=taken)) == "label_name_taken"
    assert named(put(desk, {"number": 3, "name": "gull"})) == [(3, "gull", None)]


def test_a_label_set_is_made_renamed_applied_and_deleted(desk: Desk) -> None:
    sets = f"/projects/{desk.project}/label-sets"
    body = {"name": "harbour", "labels": [{"name": "boat", "colour": "#112233"}, {"name": "ferry", "parent": "boat"}]}
    made = desk.person.ok("post", sets, json=body)
    assert made["labels_count"] == 2
    assert code_of(desk.person.post(sets, json=body)) == "name_taken"
    assert (
        code_of(desk.person.post(sets, json={"name": "odd", "labels": [{"name": "a", "parent": "b"}]}))
        == "label_parent"
    )
    desk.person.ok("patch", f"{sets}/harbour", json={"name": "port"})
    desk.labels("gull", "boat")
    applied = desk.ok("post", "/labels/apply", json={"label_set": "port"})["items"]
    assert [(one["name"], one["parent"]) for one in applied] == [("gull", None), ("boat", None), ("ferry", 2)]
    again = desk.ok("post", "/labels/apply", json={"label_set": "port"})["items"]
    assert again == applied
    taken = desk.person.ok("post", f"{sets}/from-version", json={"name": "mine", "version": "boats@1"})
    assert [(one["name"], one["parent"]) for one in taken["labels"]] == [
        ("gull", None),
        ("boat", None),
        ("ferry", "boat"),
    ]
    desk.person.ok("delete", f"{sets}/port")
    assert code_of(desk.call("post", "/labels/apply", json={"label_set": "port"})) == "label_set_not_found"
    assert [one["name"] for one in desk.person.ok("get", sets)["items"]] == ["mine"]


def test_who_changes_a_label_set_that_another_changed_meanwhile_is_told(desk: Desk) -> None:
    sets = f"/projects/{desk.project}/label-sets"
    seen = desk.person.ok("post", sets, json={"name": "harbour", "labels": [{"name": "boat"}]})["updated_at"]
    hers = {"labels": [{"name": "boat"}, {"name": "gull"}], "seen": seen}
    changed = desk.person.ok("patch", f"{sets}/harbour", json=hers)
    his = {"labels": [{"name": "boat"}, {"name": "crane"}], "seen": seen}
    assert code_of(desk.person.patch(f"{sets}/harbour", json=his)) == "label_set_changed"
    names = [one["name"] for one in desk.person.ok("get", f"{sets}/harbour")["labels"]]
    assert names == ["boat", "gull"]
    desk.person.ok("patch", f"{sets}/harbour", json={**his, "seen": changed["updated_at"]})
