"""Looking for bad items, setting them aside, bringing them back."""

import random

import pytest

from tests.datasets.conftest import Desk, box
from tests.datasets.pictures import picture, plain_picture
from tests.datasets.working import Works
from tidemill.datasets.media.pictures import distance
from tidemill.datasets.preprocessing.likeness import find_groups


@pytest.fixture
def sea(desk: Desk) -> Desk:
    """Two that look the same, one that does not, one blurred, one broken."""
    boat = desk.labels("boat")[0]
    contents = {
        "a.jpg": picture(1, (120, 90)),
        "same.png": picture(1, (120, 90), "PNG"),
        "other.jpg": picture(8, (120, 90)),
        "fog.png": plain_picture(),
        "cut.jpg": picture(5, (120, 90))[:400],
    }
    for path, data in contents.items():
        desk.ok("post", "/items/bulk", json={"items": [{"path": path, **desk.keep(data), "annotations": [box(boat)]}]})
    return desk


def test_near_duplicates_blurred_and_broken_items_are_found(works: Works, sea: Desk) -> None:
    done = works.do(sea, "scan")
    assert done["state"] == "done"
    counts = {name: done["counts"][name] for name in ("items", "blurred", "broken", "groups", "duplicates")}
    assert counts == {"items": 5, "blurred": 1, "broken": 1, "groups": 1, "duplicates": 1}
    found = {one["what"]: one for one in sea.ok("get", f"/scans/{done['id']}/found")["items"]}
    assert sorted(found["near_duplicates"]["seqs"]) == [1, 2]
    assert (found["item_blurred"]["path"], found["item_broken"]["path"]) == ("fog.png", "cut.jpg")
    info = sea.item(1)["info"]
    assert info["sharpness"] > 50
    assert len(info["phash"]) == 16
    assert sea.item(5)["info"]["broken"]


def test_what_was_found_is_set_aside_and_brought_back(works: Works, sea: Desk) -> None:
    bare = {"path": "bare.png", **sea.keep(plain_picture(3))}
    sea.ok("post", "/items/bulk", json={"items": [bare]})
    done = works.do(sea, "scan", distance=2)
    choice = {"near_duplicates": True, "blurred": True, "broken": True}
    changed = sea.ok("post", f"/scans/{done['id']}/set-aside", json=choice)
    aside = sea.seqs(state="aside")
    assert changed["changed"] == len(aside)
    assert {4, 5, 6} <= set(aside)
    assert len({1, 2} & set(aside)) == 1
    assert sea.ok("post", "/bring-back", json={"seqs": [4]}) == {"changed": 1, "more": False}
    assert sea.item(4)["state"] == "labelled"
    sea.ok("post", "/bring-back", json={})
    assert sea.seqs(state="aside") == []
    assert sea.item(6)["state"] == "unlabelled"


def test_a_stricter_threshold_takes_fewer(works: Works, sea: Desk) -> None:
    done = works.do(sea, "scan", threshold=5000, near_duplicates=False)
    assert done["counts"]["blurred"] >= 1
    changed = sea.ok("post", f"/scans/{done['id']}/set-aside", json={"blurred": True, "threshold": 10})
    assert changed["changed"] == 1


def test_a_second_scan_does_not_decode_again(works: Works, sea: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemill.datasets.media import pictures

    first = works.do(sea, "scan")
    monkeypatch.setattr(pictures, "load", None)
    again = works.do(sea, "scan", distance=3)
    assert again["counts"]["blurred"] == first["counts"]["blurred"]


def test_groups_are_those_of_every_pair_compared() -> None:
    chance = random.Random(4)
    values = [chance.getrandbits(64) for _ in range(60)]
    for value in list(values[:20]):
        flipped = value
        for bit in chance.sample(range(64), chance.randint(0, 6)):
            flipped ^= 1 << bit
        values.append(flipped)
    hashes = [f"{value:016x}" for value in values]
    for allowed in (0, 1, 3, 6):
        parents = list(range(len(hashes)))

        def root(place: int, parents: list[int] = parents) -> int:
            while parents[place] != place:
                place = parents[place]
            return place

        for a in range(len(hashes)):
            for b in range(a):
                if distance(hashes[a], hashes[b]) <= allowed:
                    parents[max(root(a), root(b))] = min(root(a), root(b))
        together: dict[int, list[int]] = {}
        for place in range(len(hashes)):
            together.setdefault(root(place), []).append(place)
        wanted = sorted(group for group in together.values() if len(group) > 1)
        assert sorted(find_groups(hashes, allowed)) == wanted
