"""New versions from older ones, publishing, comparing; and what is left when they go."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Person, count
from tests.datasets.conftest import Desk, box, code_of, run_jobs
from tidemill.accounts.access import system_caller
from tidemill.assets.emptying import do_what_is_due
from tidemill.datasets import copying, sweeping
from tidemill.datasets.tables import (
    CountRow,
    DatasetRow,
    DatasetVersionRow,
    ItemLabelRow,
    ItemRow,
    LabelRow,
    RevisionRow,
)
from tidemill.jobs.handlers import RunningJob
from tidemill.kernel.clock import utc_now
from tidemill.store.gc import collect
from tidemill.store.verify import verify


@pytest.fixture
def boats(desk: Desk) -> Desk:
    """Four items: two annotated, of which one by hand."""
    desk.labels("boat", "buoy")
    desk.add("a.jpg", "b.jpg", "c.jpg", annotations=[box(1)])
    desk.add("d.jpg")
    desk.saved(2, desk.item(2)["revision"], [box(2), box(2, x=5)])
    return desk


@pytest.fixture(autouse=True)
def _store_stays_right(app: FastAPI) -> Iterator[None]:
    yield
    report = verify(app.state.db, app.state.store)
    assert report.problems == []


def items_of(desk: Desk) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.ok("get", "/items?limit=200&with=annotations")["items"]
    return found


def copy(desk: Desk, app: FastAPI) -> Desk:
    job = desk.ok("post", "/copy", json={})
    run_jobs(app)
    done = desk.person.ok("get", f"/me/jobs/{job['id']}")
    assert done["state"] == "completed", done
    return desk.version(done["result"]["version"])


def publish(desk: Desk, app: FastAPI) -> dict[str, Any]:
    desk.ok("post", "/publish", json={})
    run_jobs(app)
    found: dict[str, Any] = desk.ok("get")
    return found


def test_a_new_version_has_the_items_annotations_labels_and_counters_of_the_older(boats: Desk, app: FastAPI) -> None:
    second = copy(boats, app)
    assert second.number == 2
    assert items_of(second) == items_of(boats)
    statistics = {**second.statistics(), "revision": None}
    assert statistics == {**boats.statistics(), "revision": None}
    assert second.seqs(label=2) == [2]
    assert second.add("e.jpg")["first_seq"] == 5
    assert len(boats.seqs()) == 4


def test_versions_that_share_files_part_when_one_changes(boats: Desk, app: FastAPI) -> None:
    second = copy(boats, app)
    second.ok("post", "/items/delete", json={"seqs": [1]})
    boats.add("z.jpg")
    assert [one["path"] for one in second.ok("get", "/tree")["items"]] == ["b.jpg", "c.jpg", "d.jpg"]
    assert [one["path"] for one in boats.ok("get", "/tree")["items"]] == ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "z.jpg"]


def test_a_tree_of_many_files_parts_piece_by_piece(boats: Desk, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.datasets.trees.AT_ONCE", 2)
    boats.add("x/1.jpg", "x/2.jpg", "y/3.jpg")
    second = copy(boats, app)
    second.add("new.jpg")
    assert second.ok("get")["files"] == 8
    assert boats.ok("get")["files"] == 7


def test_a_history_goes_back_through_older_versions(boats: Desk, app: FastAPI) -> None:
    second = copy(boats, app)
    second.saved(2, second.item(2)["revision"], [])
    reasons = [one["reason"] for one in second.ok("get", "/items/2/history")["items"]]
    assert reasons == ["edit", "edit", "import"]
    assert len(boats.ok("get", "/items/2/history")["items"]) == 2


def test_a_version_in_the_making_is_not_seen(boats: Desk, app: FastAPI) -> None:
    boats.ok("post", "/copy", json={})
    assert [one["number"] for one in boats.person.ok("get", f"{boats.root}/boats/versions")["items"]] == [1]
    assert boats.version(2).call("get", "/items").status_code == 404


def test_what_is_changed_while_a_copy_is_made_is_in_it(
    boats: Desk, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def disturb(work: Any) -> None:
        if not done:
            done.append("once")
            boats.saved(1, boats.item(1)["revision"], [box(2, w=7)])
            boats.add("late.jpg", annotations=[box(1)])
            boats.ok("post", "/items/delete", json={"seqs": [3]})
            boats.labels("gull")
        original(work)

    original = copying._Copy.catch_up
    monkeypatch.setattr(copying._Copy, "catch_up", disturb)
    second = copy(boats, app)
    assert items_of(second) == items_of(boats)
    for label in (1, 2, 3):
        assert second.seqs(label=label) == boats.seqs(label=label)
    assert {**second.statistics(), "revision": 0} == {**boats.statistics(), "revision": 0}


def test_a_copy_that_was_interrupted_goes_on(boats: Desk, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.datasets.copying.Pace", lambda: one_by_one)

    class OneByOne:
        size = 1

        def step(self) -> Any:
            from contextlib import nullcontext

            return nullcontext(1)

    class Killed(BaseException):
        pass

    one_by_one = OneByOne()
    checks = iter([None, None, Killed()])

    def check(job: RunningJob) -> None:
        if isinstance(end := next(checks, None), BaseException):
            raise end

    boats.ok("post", "/copy", json={})
    with monkeypatch.context() as dying:
        dying.setattr(RunningJob, "check", check)
        with pytest.raises(Killed):
            run_jobs(app)
    copied = count(app.state.db, ItemRow)
    assert 4 < copied < 8
    with app.state.db.write() as session:
        session.execute(sa.text("UPDATE jobs SET state = 'waiting', owner = NULL"))
    run_jobs(app)
    assert items_of(boats.version(2)) == items_of(boats)


@pytest.mark.parametrize("work", ["copy", "publish"])
def test_work_that_was_done_when_its_process_died_is_not_done_again(work: str, boats: Desk, app: FastAPI) -> None:
    job = boats.ok("post", f"/{work}", json={})
    run_jobs(app)
    done = boats.person.ok("get", f"/me/jobs/{job['id']}")
    with app.state.db.write() as session:
        session.execute(sa.text("UPDATE jobs SET state = 'waiting', owner = NULL, result = '{}'"))
    run_jobs(app)
    again = boats.person.ok("get", f"/me/jobs/{job['id']}")
    assert (again["state"], again["result"]) == ("completed", done["result"])
    versions = boats.person.ok("get", f"{boats.root}/boats/versions")["items"]
    assert len(versions) == (2 if work == "copy" else 1)


def test_a_published_version_never_changes(boats: Desk, app: FastAPI) -> None:
    done = publish(boats, app)
    assert (done["state"], done["work"], done["can_edit"], done["can_annotate"]) == (
        "committed", "published", False, False,
    )  # fmt: skip
    refused = [
        boats.save(1, boats.item(1)["revision"], []),
        boats.call("post", "/items/bulk", json={"items": [{"path": "x.jpg", **boats.keep(b"x")}]}),
        boats.call("post", "/items/delete", json={"seqs": [1]}),
        boats.call("post", "/items/state", json={"seqs": [1], "state": "aside"}),
        boats.call("put", "/labels", json={"labels": []}),
        boats.call("post", "/items/1/restore", json={"revision": None, "base": boats.item(1)["revision"]}),
        boats.call("post", "/publish", json={}),
    ]
    assert {code_of(answer) for answer in refused} == {"dataset_published"}


def test_a_published_version_has_its_annotations_beside_its_files(boats: Desk, app: FastAPI) -> None:
    publish(boats, app)
    lines = [json.loads(line) for line in boats.call("get", "/files/annotations.jsonl").text.splitlines()]
    assert [line["path"] for line in lines] == ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]
    assert lines[1]["annotations"] == boats.item(2)["annotations"]
    assert (lines[1]["annotator"], lines[3]["state"], lines[3]["annotations"]) == ("ada", "unlabelled", [])
    info = boats.call("get", "/files/dataset.json").json()
    assert [(label["number"], label["name"]) for label in info["labels"]] == [(1, "boat"), (2, "buoy")]
    assert info["counts"]["items"] == 4
    paths = [json.loads(line)["path"] for line in boats.call("get", "/manifest").text.splitlines()]
    assert paths[-2:] == ["annotations.jsonl", "dataset.json"]


def test_while_it_is_published_nobody_changes_a_version(boats: Desk, app: FastAPI) -> None:
    job = boats.ok("post", "/publish", json={})
    assert code_of(boats.save(1, boats.item(1)["revision"], [])) == "dataset_publishing"
    boats.person.ok("post", f"/me/jobs/{job['id']}/cancel")
    sweeping.sweep(app.state.db, utc_now())
    boats.saved(1, boats.item(1)["revision"], [])


def test_an_empty_version_is_not_published(desk: Desk) -> None:
    assert code_of(desk.call("post", "/publish", json={})) == "dataset_empty"


def test_two_versions_are_compared_item_by_item(boats: Desk, app: FastAPI, ann: Person) -> None:
    publish(boats, app)
    second = copy(boats, app)
    second.as_(ann).saved(1, second.item(1)["revision"], [box(1, x=77), box(2)])
    second.ok("post", "/items/delete", json={"seqs": [3]})
    second.add("new.jpg")
    found = second.ok("get", "/compare?with=1")
    assert [(one["path"], one["change"]) for one in found["items"]] == [
        ("a.jpg", "changed"),
        ("c.jpg", "removed"),
        ("new.jpg", "added"),
    ]
    changed = found["items"][0]
    assert (changed["author"], changed["annotations_changed"], changed["annotations_added"]) == ("ann", 1, 1)
    assert (found["added"], found["removed"], found["changed"], found["capped"]) == (1, 1, 1, False)
    page = second.ok("get", "/compare?with=1&limit=1")
    rest = second.ok("get", "/compare", params={"with": "1", "cursor": page["next"]})
    assert [one["path"] for one in page["items"] + rest["items"]] == ["a.jpg", "c.jpg", "new.jpg"]
    assert [one["path"] for one in second.ok("get", "/compare?with=1&change=removed")["items"]] == ["c.jpg"]


def test_what_is_purged_leaves_no_rows_and_no_bytes(boats: Desk, app: FastAPI) -> None:
    publish(boats, app)
    second = copy(boats, app)
    project = f"/projects/{boats.project}"
    second.ok("delete")
    boats.ok("delete")
    boats.person.ok("delete", f"{boats.root}/boats")
    boats.person.ok("post", f"{project}/bin/empty")
    run_jobs(app)
    sweeping.sweep(app.state.db, utc_now())
    for table in (ItemRow, ItemLabelRow, LabelRow, CountRow, DatasetVersionRow, RevisionRow, DatasetRow):
        assert count(app.state.db, table) == 0, table
    from datetime import timedelta

    collect(app.state.db, app.state.store, utc_now() + timedelta(days=2), timedelta(days=1))
    assert list(app.state.store.backend.iterate()) == []


def test_a_version_that_was_deleted_comes_back_whole(boats: Desk) -> None:
    before = items_of(boats)
    boats.ok("delete")
    (entry,) = boats.person.ok("get", f"/projects/{boats.project}/bin")["items"]
    boats.person.ok("post", f"/projects/{boats.project}/bin/{entry['id']}/restore")
    assert items_of(boats) == before


def test_a_project_that_goes_takes_its_datasets_along(boats: Desk, app: FastAPI) -> None:
    publish(boats, app)
    copy(boats, app)
    with app.state.db.write() as session:
        session.execute(sa.text("UPDATE projects SET deleted_at = '2020-01-01 00:00:00' WHERE name = 'tides'"))
    do_what_is_due(app.state.db, app.state.settings, system_caller().now, app.state.project_clearers)
    for table in (ItemRow, DatasetVersionRow, RevisionRow, DatasetRow):
        assert count(app.state.db, table) == 0, table
