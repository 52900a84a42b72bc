"""Saving a container as an image, as records, on both databases: made, broken off, given up."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Api, Person
from tests.devenv.test_environments import HERE, make, run_it
from tests.images.registry import docker_of
from tests.images.test_archives import docker_save, tar_of
from tidemill.devenv import saving
from tidemill.engines.base import EngineError, Snapshot
from tidemill.jobs.runner import Runner
from tidemill.workloads.tables import WorkloadRow

BODY = {"name": "shore", "version": "1", "description": "as it was at noon"}


class Freezer:
    """An engine that gives an archive of a container, or says why it cannot."""

    def __init__(self, folder: Path) -> None:
        self.archive = folder / "frozen.tar"
        self.trouble = ""

    def snapshot(self, id: str, node: int) -> Snapshot:
        assert node == 0
        if self.trouble:
            raise EngineError(f"{id}: {self.trouble}")
        self.archive.write_bytes(tar_of(docker_save()))
        return Snapshot("oci", archive=self.archive)

    def workspace(self, key: str) -> Path:
        return self.archive.parent / key

    def close(self) -> None:
        self.archive.unlink(missing_ok=True)


@pytest.fixture
def ann(api: Api) -> Person:
    api.project("tides")
    return api.user("ann", project="tides")


@pytest.fixture
def freezer(api: Api, ann: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Freezer:
    """Behind an environment that runs in a container, as far as the database knows."""
    make(ann)
    workload = run_it(api.app, ann)
    with api.app.state.db.write() as session:
        row = session.get_one(WorkloadRow, workload)
        row.resolved_image = {**row.resolved_image, "kind": "oci"}
    found = Freezer(tmp_path)
    monkeypatch.setitem(api.app.state._state, "engine", found)
    return found


def save(ann: Person) -> str:
    made: dict[str, Any] = ann.ok("post", f"{HERE}/dev/save-image", json=BODY)
    assert (made["kind"], made["state"]) == ("oci", "building")
    return f"/projects/tides/images/{made['id']}"


def test_the_image_is_there_at_once_and_is_filled_in_the_background(api: Api, ann: Person, freezer: Freezer) -> None:
    image = save(ann)
    docker = docker_of(api, api.admin)
    assert docker.http.get("/v2/tides/shore/tags/list").status_code == 404
    assert ann.ok("get", image)["pull_command"] is None
    assert ann.post(f"{HERE}/dev/save-image", json=BODY).json()["error"]["code"] == "image_taken"
    assert Runner(api.app).run_next()
    made = ann.ok("get", image)
    assert (made["state"], made["description"]) == ("ready", BODY["description"])
    assert made["size_bytes"] > 0
    assert not freezer.archive.exists()
    assert docker.http.get("/v2/tides/shore/tags/list").json()["tags"] == ["1"]
    saving.give_up_lost(api.app)
    assert ann.ok("get", image)["state"] == "ready"


def test_a_container_that_cannot_be_frozen_leaves_an_image_that_says_why(
    api: Api, ann: Person, freezer: Freezer
) -> None:
    image = save(ann)
    freezer.trouble = "the disk is full"
    assert Runner(api.app).run_next()
    made = ann.ok("get", image)
    assert (made["state"], made["error"]["code"]) == ("failed", "environment_not_frozen")
    assert "the disk is full" in made["error"]["message"]


def test_an_image_deleted_meanwhile_is_not_made(api: Api, ann: Person, freezer: Freezer) -> None:
    api.admin.ok("delete", save(ann))
    assert Runner(api.app).run_next()
    (job,) = ann.ok("get", "/projects/tides/jobs")["items"]
    assert (job["state"], job["error"]["code"]) == ("failed", "image_gone")
    assert not freezer.archive.exists()


def test_an_image_whose_work_was_cancelled_is_given_up(api: Api, ann: Person, freezer: Freezer) -> None:
    image = save(ann)
    saving.give_up_lost(api.app)
    assert ann.ok("get", image)["state"] == "building"
    (job,) = ann.ok("get", "/projects/tides/jobs")["items"]
    ann.ok("post", f"/projects/tides/jobs/{job['id']}/cancel")
    saving.give_up_lost(api.app)
    made = ann.ok("get", image)
    assert (made["state"], made["error"]["code"]) == ("failed", "environment_image_lost")
