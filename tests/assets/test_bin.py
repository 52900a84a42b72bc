"""The recycle bin: deleted things wait, come back, and in the end give their space back."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.assets.conftest import Shelf, code_of, job_of, run_jobs, sha, used_bytes
from tests.conftest import Api, Person, count
from tidemill.accounts.access import system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets import emptying, purging
from tidemill.assets.tables import AssetRow, BinRow, EdgeRow, VersionRow
from tidemill.kernel.clock import utc_now
from tidemill.store.tables import HoldingRow, TreeEntryRow, TreeRow


def entry_of(shelf: Shelf, name: str) -> str:
    (found,) = [item["id"] for item in shelf.bin() if item["name"] == name]
    return found


def due(api: Api, **later: float) -> None:
    """One turn of the loop, as if that much time had passed."""
    state = api.app.state
    emptying.do_what_is_due(state.db, state.settings, utc_now() + timedelta(**later))


def test_a_deleted_version_is_in_the_bin_and_comes_back(models: Shelf, ada: Person, api: Api) -> None:
    models.committed("harbour", {"w": "weights"})
    digest = models.get("harbour", 1)["digest"]
    models.delete("harbour", 1)
    assert ada.get(models.at("harbour", 1)).status_code == 404
    (item,) = models.bin()
    assert (item["kind"], item["name"], item["size_bytes"], item["deleted_by"]) == (
        "model_version",
        "harbour@1",
        7,
        "ada",
    )
    assert used_bytes(api, "tides") == 7
    back = ada.ok("post", f"/projects/tides/bin/{item['id']}/restore", json={})
    assert back == {"kind": "model", "name": "harbour", "version": 1, "link": "/p/tides/models/harbour/versions/1"}
    assert models.get("harbour", 1)["digest"] == digest
    assert models.get("harbour")["versions_count"] == 1
    assert models.bin() == []


def test_a_deleted_asset_comes_back_under_its_name_or_another(models: Shelf, ada: Person) -> None:
    models.create("harbour", description="old")
    models.delete("harbour")
    entry = entry_of(models, "harbour")
    models.create("harbour", description="new")
    answer = ada.post(f"/projects/tides/bin/{entry}/restore", json={})
    assert (answer.status_code, code_of(answer), answer.json()["error"]["field"]) == (409, "restore_name_taken", "name")
    assert "another name" in answer.json()["error"]["hint"]
    ada.ok("post", f"/projects/tides/bin/{entry}/restore", json={"name": "old harbour"})
    assert models.get("old harbour")["description"] == "old"
    assert ada.ok("get", models.root)["total"] == 2


def test_restoring_a_version_brings_its_asset_along(models: Shelf, ada: Person) -> None:
    models.committed("harbour", {"w": "1"})
    models.next("harbour", {"w": "2"})
    models.delete("harbour", 1)
    models.delete("harbour", 2)
    models.delete("harbour")
    assert sorted(item["name"] for item in models.bin()) == ["harbour", "harbour@1", "harbour@2"]
    ada.ok("post", f"/projects/tides/bin/{entry_of(models, 'harbour@2')}/restore", json={"name": "renamed"})
    assert models.get("renamed")["versions_count"] == 1
    assert models.read("renamed", 2, "w") == b"2"
    assert [item["name"] for item in models.bin()] == ["renamed@1"]


def test_the_bin_is_searched_filtered_and_sorted(models: Shelf, algorithms: Shelf, ada: Person) -> None:
    models.committed("big", {"w": "x" * 100})
    models.committed("small", {"w": "x"})
    models.delete("big", 1)
    models.delete("small", 1)
    algorithms.create("trainer")
    algorithms.delete("trainer")
    assert [item["name"] for item in models.bin(sort="-size_bytes")] == ["big@1", "small@1", "trainer"]
    assert [item["name"] for item in models.bin()] == ["trainer", "small@1", "big@1"]
    assert [item["name"] for item in models.bin(kind="algorithm")] == ["trainer"]
    assert [item["name"] for item in models.bin(q="SMALL")] == ["small@1"]


def test_removing_an_entry_for_good_gives_its_space_back(models: Shelf, ada: Person, api: Api) -> None:
    models.committed("harbour", {"w": "weights", "shared": "same"})
    models.committed("other", {"shared": "same"})
    models.delete("harbour", 1)
    entry = entry_of(models, "harbour@1")
    ada.ok("delete", f"/projects/tides/bin/{entry}")
    assert models.bin() == []
    assert used_bytes(api, "tides") == len("same")
    assert ada.post(f"/projects/tides/bin/{entry}/restore", json={}).status_code == 404
    assert ada.delete(f"/projects/tides/bin/{entry}").status_code == 404
    assert models.read("other", 1, "shared") == b"same"
    assert models.get("harbour")["versions_count"] == 0


def test_emptying_removes_everything_and_leaves_no_row_behind(models: Shelf, ada: Person, api: Api) -> None:
    models.committed("harbour", {"a": "1", "b/c": "2"})
    models.next("harbour", {"a": "3"}, **{"from": "1"})
    models.delete("harbour", 1)
    models.delete("harbour", 2)
    models.delete("harbour")
    job = ada.ok("post", "/projects/tides/bin/empty")
    assert (job["kind"], job["state"]) == ("bin_empty", "waiting")
    run_jobs(api.app)
    assert job_of(ada, "tides", job)["state"] == "completed"
    assert job_of(ada, "tides", job)["result"] == {"removed": 3}
    for table in (AssetRow, VersionRow, BinRow, EdgeRow, TreeRow, TreeEntryRow, HoldingRow):
        assert count(api.app.state.db, table) == 0, table
    assert used_bytes(api, "tides") == 0


def test_what_is_deleted_after_the_bin_was_emptied_is_kept(models: Shelf, ada: Person, api: Api) -> None:
    models.create("first")
    models.create("second")
    models.delete("first")
    ada.ok("post", "/projects/tides/bin/empty")
    models.delete("second")
    run_jobs(api.app)
    assert [item["name"] for item in models.bin()] == ["second"]


def test_after_thirty_days_the_bin_empties_itself(models: Shelf, api: Api) -> None:
    models.committed("harbour", {"w": "weights"})
    models.committed("kept", {"w": "weights too"})
    models.delete("harbour", 1)
    due(api, days=29)
    assert len(models.bin()) == 1
    due(api, days=31)
    assert models.bin() == []
    assert used_bytes(api, "tides") == len("weights too")
    rows = api.admin.ok("get", "/projects/tides/audit", params={"action": "bin.purge"})["items"]
    assert [(row["actor"], row["target_name"]) for row in rows] == [("system", "harbour@1")]


def test_a_purge_that_was_killed_half_way_is_finished_by_the_next_turn(models: Shelf, ada: Person, api: Api) -> None:
    models.committed("harbour", {"w": "weights"})
    models.delete("harbour", 1)
    entry = entry_of(models, "harbour@1")
    db = api.app.state.db
    with db.write() as session:
        purging.mark_row(session, entry, by=system_caller())
    assert models.bin() == []
    assert ada.post(f"/projects/tides/bin/{entry}/restore", json={}).status_code == 404
    due(api)
    assert count(db, BinRow) == count(db, VersionRow) == 0
    assert used_bytes(api, "tides") == 0


def test_a_tree_that_is_still_shared_outlives_the_version_that_was_removed(
    models: Shelf, ada: Person, api: Api
) -> None:
    models.committed("harbour", {"w": "weights"})
    models.draft("harbour", **{"from": "1"})
    models.delete("harbour", 1)
    ada.ok("delete", f"/projects/tides/bin/{entry_of(models, 'harbour@1')}")
    assert models.read("harbour", 2, "w") == b"weights"
    assert used_bytes(api, "tides") == len("weights")


def test_a_project_past_its_time_in_the_bin_goes_with_all_it_held(models: Shelf, ada: Person, api: Api) -> None:
    models.committed("harbour", {"w": "weights"})
    models.create("empty")
    models.delete("empty")
    api.admin.ok("delete", "/projects/tides")
    due(api, days=29)
    assert count(api.app.state.db, AssetRow) == 2
    due(api, days=31)
    db = api.app.state.db
    for table in (AssetRow, VersionRow, BinRow, TreeRow, HoldingRow):
        assert count(db, table) == 0, table
    with db.read() as session:
        assert session.scalar(sa.select(ProjectRow.id).where(ProjectRow.name == "tides")) is None


@pytest.mark.parametrize("verb", ["restore", "delete"])
def test_another_projects_bin_is_out_of_reach(models: Shelf, eve: Person, verb: str) -> None:
    models.create("harbour")
    models.delete("harbour")
    entry = entry_of(models, "harbour")
    for project in ("tides", "elsewhere"):
        where = f"/projects/{project}/bin/{entry}"
        answer = eve.post(f"{where}/restore", json={}) if verb == "restore" else eve.delete(where)
        assert answer.status_code == 404
    assert len(models.bin()) == 1


def test_a_viewer_sees_the_bin_and_changes_nothing(models: Shelf, vic: Person) -> None:
    models.create("harbour")
    models.delete("harbour")
    entry = entry_of(models, "harbour")
    assert vic.ok("get", "/projects/tides/bin")["total"] == 1
    assert vic.post(f"/projects/tides/bin/{entry}/restore", json={}).status_code == 403
    assert vic.delete(f"/projects/tides/bin/{entry}").status_code == 403
    assert vic.post("/projects/tides/bin/empty").status_code == 403


def test_a_project_goes_with_its_uploads_jobs_tokens_and_content_nobody_used(
    models: Shelf, ada: Person, api: Api
) -> None:
    models.committed("harbour", {"w": "weights"})
    ada.ok("post", "/projects/tides/uploads", json={"size_bytes": 5, "sha256": sha("hello")})
    ada.ok(
        "post",
        "/projects/tides/blobs/batch",
        content=f"{sha('stray')} 5\n".encode() + b"stray",
        headers={"Content-Type": "application/x-tidemill-batch"},
    )
    ada.ok("post", "/projects/tides/bin/empty")
    ada.ok("post", "/me/tokens", json={"name": "t", "project": "tides"})
    hook = {"name": "h", "url": "https://example.org/", "events": ["*"], "enabled": True}
    api.admin.ok("post", "/projects/tides/webhooks", json=hook)
    api.admin.ok("delete", "/projects/tides")
    due(api, days=31)
    db = api.app.state.db
    assert count(db, HoldingRow) == count(db, TreeRow) == 0
    with db.read() as session:
        assert session.scalar(sa.select(ProjectRow.id).where(ProjectRow.name == "tides")) is None


def test_one_project_that_cannot_be_removed_does_not_hold_up_the_others(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        api.project(name)
        api.admin.ok("delete", f"/projects/{name}")
    removed: list[str] = []

    def purge(_db: object, project_id: str, *, by: object, clearers: object) -> None:
        del by, clearers
        removed.append(project_id)
        if len(removed) == 1:
            raise RuntimeError("a fault")

    monkeypatch.setattr(emptying, "purge_project", purge)
    due(api, days=31)
    assert len(removed) == 2
