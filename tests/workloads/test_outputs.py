"""What a workload leaves behind becomes a version, once."""

import hashlib
import os
from typing import Any

import pytest
import sqlalchemy as sa

from tests.workloads.conftest import House
from tidemill.assets import commits
from tidemill.assets.tables import VersionRow
from tidemill.kernel.clock import utc_now
from tidemill.workloads import outputs
from tidemill.workloads.service import Input, Output

OUTPUTS = (Output("persistent-model", "tide-net"),)


def run(house: House, files: dict[str, bytes], reason: str = "finished", **wanted: Any) -> str:
    """A workload that wrote these files and ended."""
    workload = house.submit("train", outputs=OUTPUTS, **wanted)
    row = house.until(workload, "running")
    folder = house.engine.workspace(row.workspace) / "persistent-model"
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    house.end(workload, reason, 0 if reason == "finished" else 1)
    house.until(workload, "completed" if reason == "finished" else "failed")
    return workload


def collect(house: House) -> None:
    house.collector.collect_all(utc_now())


def versions(house: House) -> list[Any]:
    answer = house.api.admin.get("/projects/tides/models/tide-net/versions")
    return answer.json()["items"] if answer.status_code == 200 else []


@pytest.mark.parametrize("reason", ["finished", "exit_code"])
def test_what_was_written_becomes_a_committed_version_however_it_ended(house: House, reason: str) -> None:
    workload = run(house, {"weights.bin": b"abc", "deep/er.txt": b"x"}, reason)
    assert house.row(workload).outputs_state == "waiting"
    collect(house)
    (version,) = versions(house)
    assert (version["state"], version["origin"], version["number"]) == ("committed", "run", 1)
    assert workload in version["note"]
    assert version["created_by"] == "admin"
    row = house.row(workload)
    assert (row.outputs_state, row.output_version_id) == ("done", version["id"])
    content = house.api.admin.get("/projects/tides/models/tide-net/versions/1/files/deep/er.txt")
    assert content.content == b"x"


def test_it_knows_what_it_was_made_from(house: House) -> None:
    house.api.admin.ok("post", "/projects/tides/algorithms", json={"name": "steps", "scene": "other"})
    made = house.api.admin.ok("post", "/projects/tides/algorithms/steps/versions", json={})
    place = "/projects/tides/algorithms/steps/versions/1"
    house.api.admin.ok("put", f"{place}/files/train.py", content=b"print()")
    workload = run(house, {"w": b"1"}, inputs=(Input(made["id"], "algorithm/steps", "copy"),))
    (launch,) = house.engine.launched
    assert [(placed.target, placed.mode) for placed in launch.materials] == [("algorithm/steps", "copy")]
    assert house.engine.prepared[launch.materials[0].key] == {"train.py": hashlib.sha256(b"print()").hexdigest()}
    collect(house)
    lineage = house.api.admin.ok("get", "/projects/tides/models/tide-net/versions/1/lineage")
    assert "steps" in str(lineage)
    assert house.row(workload).outputs_state == "done"


def test_nothing_written_makes_nothing(house: House) -> None:
    workload = run(house, {})
    collect(house)
    assert house.row(workload).outputs_state == "empty"
    assert versions(house) == []


def test_the_same_content_again_makes_no_new_version(house: House) -> None:
    first = run(house, {"w": b"1"})
    collect(house)
    second = run(house, {"w": b"1"})
    third = run(house, {"w": b"2"})
    collect(house)
    assert [version["number"] for version in versions(house)] == [2, 1]
    assert house.row(first).output_version_id == house.row(second).output_version_id
    assert house.row(third).output_version_id != house.row(first).output_version_id


def test_links_and_odd_files_are_not_taken(house: House, tmp_path: Any) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush")
    workload = house.submit("train", outputs=OUTPUTS)
    row = house.until(workload, "running")
    folder = house.engine.workspace(row.workspace) / "persistent-model"
    folder.mkdir()
    (folder / "kept").write_text("x")
    (folder / "link").symlink_to(secret)
    (folder / "folder").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    (folder / "bad\nname").write_text("x")
    house.end(workload)
    house.until(workload, "completed")
    collect(house)
    listed = house.api.admin.ok("get", "/projects/tides/models/tide-net/versions/1/tree")
    assert [item["name"] for item in listed["items"]] == ["kept"]


def test_a_folder_that_is_a_link_is_not_followed(house: House, tmp_path: Any) -> None:
    workload = house.submit("train", outputs=OUTPUTS)
    row = house.until(workload, "running")
    (house.engine.workspace(row.workspace) / "persistent-model").symlink_to(tmp_path)
    house.end(workload)
    house.until(workload, "completed")
    collect(house)
    assert house.row(workload).outputs_state == "empty"


@pytest.mark.parametrize("moment", ["before the draft", "before the commit", "before the end"])
def test_a_crash_at_any_moment_gives_one_version_in_the_end(
    house: House, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    workload = run(house, {"w": b"1"})

    def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    place: tuple[Any, str] = {
        "before the draft": (outputs.Collector, "_write_draft"),
        "before the commit": (outputs, "commit_version"),
        "before the end": (outputs.Collector, "_finish"),
    }[moment]
    with monkeypatch.context() as broken:
        broken.setattr(*place, die)
        with pytest.raises(KeyboardInterrupt):
            collect(house)
    assert house.row(workload).outputs_state == "waiting"
    house.collector = outputs.Collector(house.db, house.app.state.store, house.engine)
    collect(house)
    assert house.row(workload).outputs_state == "done"
    assert [version["state"] for version in versions(house)] == ["committed"]
    assert commits.commit_version is outputs.commit_version


def test_a_project_without_room_is_told(house: House) -> None:
    house.api.admin.ok("patch", "/projects/tides", json={"storage_limit_bytes": 1})
    workload = run(house, {"w": b"123"})
    collect(house)
    view = house.api.admin.ok("get", f"/projects/tides/workloads/{workload}")
    assert view["outputs_state"] == "failed"
    assert view["message"]
    with house.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(VersionRow)) == 0


def test_an_attempt_that_is_stopped_while_it_waits_to_be_retried_still_gives_its_version(house: House) -> None:
    workload = house.submit("train", outputs=OUTPUTS, retries=5, nodes=4)
    row = house.until(workload, "running")
    folder = house.engine.workspace(row.workspace) / "persistent-model"
    folder.mkdir()
    (folder / "w").write_text("x")
    blocker = house.submit("blocker", nodes=4, priority="high")
    house.end(workload, "exit_code", 1)
    house.until(blocker, "running")
    house.until(workload, "pending")
    house.stop(workload)
    collect(house)
    assert len(versions(house)) == 1
