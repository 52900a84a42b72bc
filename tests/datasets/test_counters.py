"""Counters and statistics: always what counting would give."""

import random
from collections import Counter
from typing import Any

from tests.conftest import Person
from tests.datasets.conftest import Desk, box, code_of


def count_by_hand(desk: Desk) -> dict[str, Any]:
    items = desk.ok("get", "/items?limit=200&with=annotations")["items"]
    shapes = [one for item in items for one in item["annotations"]]
    areas = [one["w"] * one["h"] for one in shapes]
    digests = [item["digest"] for item in items]
    return {
        "items": len(items),
        "annotations": len(shapes),
        "size_bytes": sum(item["size_bytes"] for item in items),
        "duplicates": len(digests) - len(set(digests)),
        "states": Counter(item["state"] for item in items),
        "labels": Counter(label for item in items for label in {one["label"] for one in item["annotations"]}),
        "shapes": Counter(one["label"] for one in shapes),
        "sizes": [
            sum(a < 1024 for a in areas), sum(1024 <= a < 9216 for a in areas), sum(a >= 9216 for a in areas),
        ],
        "annotators": Counter(item["annotator"] for item in items if item["annotator"]),
    }  # fmt: skip


def counted(desk: Desk) -> dict[str, Any]:
    found = desk.statistics()
    return {
        "items": found["items"],
        "annotations": found["annotations"],
        "size_bytes": found["size_bytes"],
        "duplicates": found["duplicates"],
        "states": Counter({state: count for state, count in found["states"].items() if count}),
        "labels": Counter({label["number"]: label["items"] for label in found["labels"] if label["items"]}),
        "shapes": Counter({label["number"]: label["annotations"] for label in found["labels"] if label["annotations"]}),
        "sizes": [found["sizes"][size] for size in ("small", "medium", "large")],
        "annotators": Counter({one["name"]: one["items"] for one in found["annotators"]}),
    }


def pages_agree(desk: Desk) -> None:
    """What the indexes of states, labels and annotators find is what the items say."""
    items = desk.ok("get", "/items?limit=200&with=annotations")["items"]
    for state in ("unlabelled", "labelled", "rework", "aside"):
        assert desk.seqs(state=state) == [item["seq"] for item in items if item["state"] == state]
        for label in (1, 2, 3):
            wanted = [
                item["seq"]
                for item in items
                if item["state"] == state and any(one["label"] == label for one in item["annotations"])
            ]
            assert desk.seqs(state=state, label=label) == wanted
    for name in ("ada", "ann"):
        assert desk.seqs(annotator=name) == [item["seq"] for item in items if item["annotator"] == name]


def test_counters_are_what_counting_gives_after_any_changes(desk: Desk, ann: Person) -> None:
    rng = random.Random(4)
    assert desk.labels("boat", "buoy", "gull") == [1, 2, 3]

    def shapes() -> list[dict[str, Any]]:
        return [box(rng.randint(1, 3), w=rng.choice([5, 50, 500]), h=20) for _ in range(rng.randint(0, 4))]

    for batch in range(3):
        content = [desk.keep(bytes([rng.randint(0, 6)])) for _ in range(8)]
        items = [
            {"path": f"{batch}/{n}.png", **kept, "annotations": shapes()} if n % 2 else {"path": f"{batch}/{n}", **kept}
            for n, kept in enumerate(content)
        ]
        desk.ok("post", "/items/bulk", json={"items": items})
    for _ in range(40):
        seqs = desk.seqs()
        seq = rng.choice(seqs)
        match rng.randint(0, 5):
            case 0:
                desk.ok("post", "/items/delete", json={"seqs": rng.sample(seqs, 1)})
            case 1:
                chosen = rng.sample(seqs, min(3, len(seqs)))
                desk.ok("post", "/items/state", json={"seqs": chosen, "state": rng.choice(["aside", "rework"])})
            case _:
                worker = desk.as_(rng.choice([desk.person, ann]))
                worker.saved(seq, desk.item(seq)["revision"], shapes())
    assert counted(desk) == count_by_hand(desk)
    pages_agree(desk)


def test_progress_counts_what_is_done_of_what_is_not_set_aside(desk: Desk) -> None:
    desk.labels("boat")
    desk.add("a.jpg", "b.jpg", "c.jpg", "d.jpg")
    desk.saved(1, None, [box(1)])
    desk.ok("post", "/items/state", json={"seqs": [4], "state": "aside"})
    found = desk.statistics()
    assert (found["done"], found["progress"]) == (1, 33.3)
    version = desk.ok("get")
    assert (version["items"], version["progress"], version["states"]["aside"]) == (4, 33.3, 1)


def test_a_state_is_given_to_all_that_a_filter_finds(desk: Desk) -> None:
    desk.labels("boat")
    desk.add("a.jpg", "b.jpg", "c.jpg")
    desk.saved(2, None, [box(1)])
    body = {"filter": {"state": "unlabelled"}, "state": "aside"}
    assert desk.ok("post", "/items/state", json=body) == {"changed": 2, "job": None}
    assert desk.seqs(state="aside") == [1, 3]
    assert code_of(desk.call("post", "/items/state", json={"state": "aside"})) == "invalid"


def test_items_are_given_to_members_who_may_annotate(desk: Desk, ann: Person) -> None:
    desk.add("a.jpg", "b.jpg")
    desk.ok("post", "/items/owner", json={"seqs": [2], "owner": "ann"})
    assert desk.seqs(owner="ann") == [2]
    assert desk.item(2)["owner"] == "ann"
    assert code_of(desk.call("post", "/items/owner", json={"seqs": [1], "owner": "mallory"})) == "owner_unknown"


def test_deleted_items_leave_the_files_too(desk: Desk) -> None:
    desk.add("x/a.jpg", "x/b.jpg")
    assert desk.ok("post", "/items/delete", json={"seqs": [1, 77]})["changed"] == 1
    assert desk.call("get", "/items/1").status_code == 404
    assert [one["path"] for one in desk.ok("get", "/tree?path=x")["items"]] == ["x/b.jpg"]
    assert desk.add("x/c.jpg")["first_seq"] == 3
