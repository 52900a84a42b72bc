"""Many callers at once: numbers are given once, committed means committed, and nothing is lost between them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.assets.conftest import Shelf, used_bytes
from tests.conftest import USER_PASSWORD, Api, Person

pytestmark = pytest.mark.both_databases


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def several(api: Api, count: int) -> list[Person]:
    """The same member at several browsers: a client belongs to one thread."""
    api.user("bob", project="tides")
    return [Person(api.app, "bob", USER_PASSWORD) for _ in range(count)]


def test_two_versions_never_get_one_number(models: Shelf, api: Api) -> None:
    models.create("harbour")
    people = several(api, 6)
    answers = at_once(*(lambda p=p: p.post(f"{models.at('harbour')}/versions", json={}) for p in people))
    assert sorted(answer.json()["number"] for answer in answers) == [1, 2, 3, 4, 5, 6]
    assert models.get("harbour")["versions_count"] == 6


def test_of_assets_of_one_name_one_is_made(models: Shelf, api: Api, ada: Person) -> None:
    people = several(api, 6)
    answers = at_once(*(lambda p=p: p.post(models.root, json={"name": "one", "scene": "other"}) for p in people))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 5]
    assert ada.ok("get", models.root)["total"] == 1


def test_saves_to_different_files_of_one_draft_all_stay(models: Shelf, api: Api) -> None:
    models.committed("harbour", {"base": "x"})
    models.draft("harbour", **{"from": "1"})
    people = several(api, 8)
    url = f"{models.at('harbour', 2)}/files"
    answers = at_once(*(lambda n=n, p=p: p.put(f"{url}/f{n}", content=str(n).encode()) for n, p in enumerate(people)))
    assert {answer.status_code for answer in answers} == {200}
    assert set(models.paths("harbour", 2)) == {"base", *(f"f{n}" for n in range(8))}
    assert set(models.paths("harbour", 1)) == {"base"}
    assert models.get("harbour", 2)["files"] == 9
    assert models.get("harbour")["size_bytes"] == 1 + 9


def test_of_two_saves_over_the_same_text_one_is_told(models: Shelf, api: Api) -> None:
    models.create("harbour")
    models.draft("harbour")
    seen = models.save("harbour", 1, "a.py", "old")["digest"]
    people = several(api, 4)
    url, headers = f"{models.at('harbour', 1)}/files/a.py", {"If-Match": f'"{seen}"'}
    answers = at_once(
        *(lambda n=n, p=p: p.put(url, content=f"new {n}".encode(), headers=headers) for n, p in enumerate(people))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412]
    (kept,) = [answer.json()["digest"] for answer in answers if answer.status_code == 200]
    assert models.paths("harbour", 1) == {"a.py": kept}


def test_a_commit_amid_saves_is_exactly_what_was_saved_before_it(models: Shelf, api: Api) -> None:
    models.create("harbour")
    models.draft("harbour")
    models.save("harbour", 1, "first", "x")
    people = several(api, 7)
    url = models.at("harbour", 1)
    calls: list[Callable[[], Any]] = [
        lambda n=n, p=p: p.put(f"{url}/files/f{n}", content=b"y") for n, p in enumerate(people[:-1])
    ]
    *saves, commit = at_once(*calls, lambda: people[-1].post(f"{url}/commit", json={}))
    saved = {f"f{n}" for n, answer in enumerate(saves) if answer.status_code == 200}
    assert {answer.status_code for answer in saves} <= {200, 409}
    if commit.status_code == 200:
        assert set(models.paths("harbour", 1)) == {"first", *saved}
        assert commit.json()["files"] == models.get("harbour", 1)["files"] == 1 + len(saved)
    else:
        assert commit.json()["error"]["code"] == "version_busy"
        assert len(saved) == len(people) - 1


def test_of_two_commits_one_is_done(models: Shelf, api: Api) -> None:
    models.create("harbour")
    models.draft("harbour")
    models.save("harbour", 1, "a", "x")
    people = several(api, 3)
    answers = at_once(*(lambda p=p: p.post(f"{models.at('harbour', 1)}/commit", json={}) for p in people))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]


def test_forks_into_one_project_do_not_block_each_other(public_models: Shelf, models: Shelf, api: Api) -> None:
    public_models.committed("base", {"w": "weights"})
    people = several(api, 6)
    answers = at_once(
        *(
            lambda n=n, p=p: p.post(f"{public_models.at('base')}/copy", json={"name": f"c{n}", "to_project": "tides"})
            for n, p in enumerate(people)
        )
    )
    assert {answer.status_code for answer in answers} == {201}
    assert used_bytes(api, "tides") == len("weights")
    assert {tuple(models.paths(f"c{n}", 1)) for n in range(6)} == {("w",)}


def test_a_version_is_restored_or_removed_and_never_both(models: Shelf, api: Api) -> None:
    models.committed("harbour", {"w": "weights"})
    models.delete("harbour", 1)
    (entry,) = models.bin()
    people = several(api, 2)
    where = f"/projects/tides/bin/{entry['id']}"
    restored, removed = at_once(lambda: people[0].post(f"{where}/restore", json={}), lambda: people[1].delete(where))
    assert {restored.status_code, removed.status_code} in ({200, 404}, {404, 204})
    is_there = people[0].get(models.at("harbour", 1)).status_code == 200
    assert is_there == (restored.status_code == 200)
    assert used_bytes(api, "tides") == (len("weights") if is_there else 0)
