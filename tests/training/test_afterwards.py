"""What becomes of a run once it has ended: it goes on when its files are at rest, and what shows it does not stay."""

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.workloads.conftest import House
from tidemill.doors.activity import Activity
from tidemill.training.routes import runs as routes
from tidemill.training.tensorboard import UNUSED_FOR, Idle


@pytest.fixture
def run(house: House) -> dict[str, Any]:
    """A run that runs, and is to leave a model."""
    body = {"name": "net", "command": "train", "spec": "one", "save_model": "net"}
    house.api.admin.ok("post", "/projects/tides/tasks", json=body)
    started: dict[str, Any] = house.api.admin.ok("post", "/projects/tides/tasks/net/start", json={})
    house.until(started["workload"]["id"], "running")
    return started


@pytest.fixture
def ended(house: House, run: dict[str, Any]) -> dict[str, Any]:
    """The run has failed and left a checkpoint; its model is not saved yet."""
    workload = run["workload"]["id"]
    checkpoint = house.engine.workspace(house.row(workload).workspace) / "persistent-model" / "checkpoints" / "one"
    checkpoint.mkdir(parents=True)
    (checkpoint / "state.json").write_text('{"step": 1}')
    house.end(workload, "exit_code", 1)
    house.until(workload, "failed")
    assert house.row(workload).outputs_state == "waiting"
    return run


def test_a_run_does_not_go_on_while_its_model_is_being_saved(
    house: House, ended: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "SAVING_MAY_TAKE_S", 0.0)
    resume = f"/projects/tides/runs/{ended['id']}/resume"
    refused = house.api.admin.post(resume)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "run_saving")
    assert house.api.admin.ok("get", f"/projects/tides/runs/{ended['id']}")["state"] == "failed"
    house.collector.collect_all(house.caller_now())
    assert house.api.admin.ok("post", resume)["state"] == "pending"


def test_a_run_that_is_saved_in_a_moment_goes_on_at_once(
    house: House, ended: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "SAVING_MAY_TAKE_S", 20.0)
    saving = threading.Thread(target=house.collector.collect_all, args=(house.caller_now(),))
    looks: list[str] = []
    look = routes.runs.is_saving

    def looked(workload: Any) -> bool:
        """The first look finds it waiting; only then is it saved."""
        is_saving = look(workload)
        looks.append(workload.outputs_state)
        if len(looks) == 1:
            saving.start()
        return is_saving

    monkeypatch.setattr(routes.runs, "is_saving", looked)
    resumed = house.api.admin.ok("post", f"/projects/tides/runs/{ended['id']}/resume")
    saving.join()
    assert (resumed["state"], resumed["resumed_from"]) == ("pending", "persistent-model/checkpoints/one")
    assert (looks[0], looks[-1]) == ("waiting", "done")


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def test_tensorboard_that_nobody_looks_at_is_stopped(house: House, run: dict[str, Any]) -> None:
    viewer = house.api.admin.ok("post", f"/projects/tides/runs/{run['id']}/tensorboard")["workload"]["id"]
    started_at = house.until(viewer, "running").started_at
    assert started_at
    clock = Clock(started_at)
    activity = Activity(clock)
    idle = Idle(house.db, clock, lambda: activity)

    clock.now = started_at + UNUSED_FOR - timedelta(seconds=1)
    idle.look()
    assert house.state(viewer) == "running", "it has not been there long enough"
    with activity.inside(viewer):
        clock.now += timedelta(hours=5)
        idle.look()
        assert house.state(viewer) == "running", "somebody looks at it"
    clock.now += UNUSED_FOR - timedelta(seconds=1)
    idle.look()
    assert house.state(viewer) == "running", "somebody looked at it just now"
    clock.now += timedelta(seconds=2)
    idle.look()
    assert (house.state(viewer), house.row(viewer).stop_reason) == ("stopping", "idle")
    assert house.state(run["workload"]["id"]) == "running", "the run itself goes on"
