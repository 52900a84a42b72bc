"""How works end: the exit code of their programs, what their workloads say, and what is left of a draft."""

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.datasets.conftest import Desk, code_of
from tests.datasets.pictures import picture
from tests.datasets.working import PROGRAMS, Works, zipped
from tidemill.datasets.importing import importer
from tidemill.datasets.works import program
from tidemill.datasets.works.office import Office
from tidemill.kernel.clock import utc_now
from tidemill.workloads import lifecycle
from tidemill.workloads.lifecycle import State
from tidemill.workloads.tables import WorkloadRow

STEPS: dict[str, Any] = {"rotate": {"degrees": 90}}


class Stage:
    """Runs programs as their processes do, and ends their workloads as the engine's news would."""

    def __init__(self, works: Works, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        self.works, self.desk, self._patch = works, desk, monkeypatch

    def exit_code(self, work: dict[str, Any]) -> int:
        office = self.works.office(self.desk, work)
        workspace = self.works.folder / work["id"]
        (workspace / ".work").mkdir(parents=True, exist_ok=True)
        self.works.mount(work, workspace)
        self._patch.setattr(Office, "from_environment", lambda: office)
        self._patch.setattr(program.guard, "install", lambda: None)
        self._patch.setattr(program, "gc", logging)  # neither frozen nor tuned here
        self._patch.setattr(logging, "freeze", lambda: None, raising=False)
        self._patch.setattr(logging, "set_threshold", lambda *_: None, raising=False)
        self._patch.setenv("TIDEMILL_WORKSPACE", str(workspace))
        return program.run(PROGRAMS[work["kind"]])

    def move(self, work: dict[str, Any], *states: State) -> None:
        for state in states:
            with self.works.app.state.db.write() as session:
                row = session.get_one(WorkloadRow, work["workload_id"])
                reason = "exit_code" if state == "failed" else None
                assert lifecycle.move(session, row, state, reason=reason, by="platform", now=utc_now())  # type: ignore[arg-type]

    def workload(self, work: dict[str, Any], language: str = "en") -> dict[str, Any]:
        found: dict[str, Any] = self.desk.person.ok(
            "get", f"/projects/tides/workloads/{work['workload_id']}", headers={"Accept-Language": language}
        )
        return found


@pytest.fixture
def stage(works: Works, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(works, desk, monkeypatch)


@pytest.fixture
def sea(desk: Desk) -> Desk:
    for number in range(6):
        item = {"path": f"{number}.jpg", **desk.keep(picture(number)), "width": 40, "height": 30}
        desk.ok("post", "/items/bulk", json={"items": [item]})
    return desk


def begin_import(desk: Desk, data: bytes) -> dict[str, Any]:
    sent = [{"name": "a.zip", **desk.keep(data)}]
    found: dict[str, Any] = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})
    return found


def test_a_program_that_did_its_work_ends_with_zero(stage: Stage, desk: Desk) -> None:
    begun = begin_import(desk, zipped({"a.jpg": picture(1)}))
    assert stage.exit_code(begun) == 0
    assert stage.exit_code(begun) == 0, "another attempt has nothing left to do"


def test_an_impossible_work_fails_with_its_workload_which_says_why_and_is_not_tried_again(
    stage: Stage, desk: Desk
) -> None:
    begun = begin_import(desk, zipped({"../../etc/passwd": b"root"}))
    stage.move(begun, "starting", "running")
    assert stage.exit_code(begun) == 1
    assert stage.exit_code(begun) == 1, "also an attempt that was under way already"
    left = stage.workload(begun)
    assert left["retries"] == left["retries_used"] == 0
    stage.move(begun, "failed")
    failed = desk.ok("get", f"/imports/{begun['id']}")
    assert (failed["state"], failed["error"]["code"]) == ("failed", "archive_traversal")
    assert stage.workload(begun)["message"] == f"a.zip: {failed['error']['message']}"
    assert "指向压缩包之外" in stage.workload(begun, "zh-CN")["message"]


def test_a_program_that_ended_without_a_word_leaves_a_message(stage: Stage, desk: Desk) -> None:
    begun = begin_import(desk, zipped({"a.jpg": picture(1)}))
    stage.move(begun, "starting", "running", "failed")
    assert stage.workload(begun)["message"] == "The program that did it ended before it was done."
    assert desk.ok("get", f"/imports/{begun['id']}")["error"]["code"] == "work_broke"


@pytest.mark.parametrize("end", ["failed", "stopped"])
def test_a_draft_that_was_filled_in_part_goes(
    stage: Stage, sea: Desk, monkeypatch: pytest.MonkeyPatch, end: State
) -> None:
    monkeypatch.setattr(importer, "RECORDS", 2)
    begun = sea.ok("post", "/preprocess", json={"steps": STEPS})
    stage.move(begun, "starting", "running")
    kill_in_the_middle(stage, sea, begun, monkeypatch)
    assert sea.version(2).ok("get")["items"] == 4
    stage.move(begun, end)
    assert code_of(sea.version(2).call("get")) == "version_not_found"
    ended = sea.ok("get", f"/preprocess/{begun['id']}")
    assert (ended["state"], ended["target_version"]) == (end, None)
    entries = sea.person.ok("get", "/projects/tides/bin")["items"]
    assert [entry["name"] for entry in entries] == ["boats@2"], "as every version that is deleted"
    assert sea.person.ok("get", "/projects/tides/datasets/boats/versions/latest")["number"] == 1


def test_a_killed_preprocessing_goes_on_in_its_draft(stage: Stage, sea: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "RECORDS", 2)
    begun = sea.ok("post", "/preprocess", json={"steps": STEPS})
    stage.move(begun, "starting", "running")
    kill_in_the_middle(stage, sea, begun, monkeypatch)
    stage.move(begun, "pending", "starting", "running")
    assert sea.version(2).ok("get")["items"] == 4, "between two attempts it waits"
    assert stage.exit_code(begun) == 0
    stage.move(begun, "completed")
    done = sea.ok("get", f"/preprocess/{begun['id']}")
    assert (done["state"], done["target_version"], done["counts"]["added"]) == ("done", 2, 6)
    assert sea.version(2).ok("get")["items"] == 6


def test_a_draft_that_somebody_published_meanwhile_stays(stage: Stage, sea: Desk) -> None:
    from tests.datasets.conftest import run_jobs

    begun = sea.ok("post", "/preprocess", json={"steps": STEPS})
    stage.move(begun, "starting", "running")
    sea.version(2).add("mine.jpg")
    sea.version(2).ok("post", "/publish", json={})
    run_jobs(stage.works.app)
    assert stage.exit_code(begun) == 1
    stage.move(begun, "failed")
    assert sea.version(2).ok("get")["work"] == "published"


def kill_in_the_middle(stage: Stage, desk: Desk, work: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The program dies after its second step was acknowledged."""
    office = stage.works.office(desk, work)
    scratch: Path = stage.works.folder / work["id"] / ".work"
    scratch.mkdir(parents=True, exist_ok=True)
    stage.works.mount(work, scratch.parent)
    step, taken = office.step, list[int]()

    def dies(body: dict[str, Any]) -> int:
        taken.append(step(body))
        if len(taken) == 2:
            raise ConnectionError("killed")
        return taken[-1]

    monkeypatch.setattr(office, "step", dies)
    with pytest.raises(ConnectionError):
        PROGRAMS[work["kind"]](office, office.begin(), scratch)
