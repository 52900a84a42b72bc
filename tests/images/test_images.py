"""Images over the API: listed, described, imported, pulled, deleted, collected."""

import hashlib
import json
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import uvicorn

from tests.assets.conftest import job_of, run_jobs
from tests.conftest import Api, Person, count
from tests.images.registry import Docker, digest_of, docker_of, index_of, layer, manifest_of
from tests.images.test_archives import PLAIN, docker_save, tar_of
from tidemill.accounts.access import system_caller
from tidemill.assets.project_purge import purge_project
from tidemill.images.builtin import BUILTINS
from tidemill.images.registry.manifests import OCI_INDEX
from tidemill.images.tables import ChildRow, ImageRow, ManifestRow
from tidemill.images.tidy import tidy
from tidemill.store import gc, verify
from tidemill.store.tables import HoldingRow, PinRow


@pytest.fixture
def ann(api: Api) -> Person:
    api.project("tides")
    return api.user("ann", project="tides")


@pytest.fixture
def docker(api: Api, ann: Person) -> Docker:
    return docker_of(api, ann)


def names(page: Any) -> list[str]:
    return [f"{row['name']}:{row['version']}" for row in page["items"]]


def used(api: Api, project: str = "tides") -> int:
    size: int = api.admin.ok("get", f"/projects/{project}")["storage_used_bytes"]
    return size


def send(person: Person, data: bytes, project: str = "tides") -> str:
    digest = hashlib.sha256(data).hexdigest()
    begun = person.ok("post", f"/projects/{project}/uploads", json={"sha256": digest, "size_bytes": len(data)})
    person.ok("put", f"/projects/{project}/uploads/{begun['id']}/chunk?offset=0", content=data)
    return digest


def later(api: Api, **by: float) -> None:
    """Turns the clock of images on."""
    now: datetime = api.app.state.clock() + timedelta(**by)
    object.__setattr__(api.app.state.images, "clock", lambda: now)


def is_clean(api: Api) -> bool:
    return verify.verify(api.app.state.db, api.app.state.store).clean


def test_images_are_listed_sorted_searched_and_paged(ann: Person, docker: Docker) -> None:
    for tag, text in (("1", "a"), ("2", "bb" * 5000), ("3", "c" * 9)):
        docker.push("tides/vision/base", tag, text)
    docker.push("tides/audio", "1", "d")
    assert names(ann.ok("get", "/projects/tides/images")) == [
        "audio:1",
        "vision/base:3",
        "vision/base:2",
        "vision/base:1",
    ]
    assert names(ann.ok("get", "/projects/tides/images?sort=-size_bytes&limit=1")) == ["vision/base:2"]
    assert names(ann.ok("get", "/projects/tides/images?q=VISION&sort=version")) == [
        "vision/base:1",
        "vision/base:2",
        "vision/base:3",
    ]
    first = ann.ok("get", "/projects/tides/images?sort=name&limit=3")
    assert first["total"] == 4
    assert names(ann.ok("get", f"/projects/tides/images?sort=name&limit=3&cursor={first['next']}")) == ["vision/base:3"]
    assert names(ann.ok("get", "/projects/tides/images?kind=python")) == []
    assert ann.get("/projects/tides/images?sort=color").status_code == 422
    row = ann.ok("get", "/projects/tides/images?q=audio")["items"][0]
    assert (row["kind"], row["state"], row["created_by"], row["project"]) == ("oci", "ready", "ann", "tides")
    assert row["pull_command"] == "docker pull 127.0.0.1/tides/audio:1"


def test_the_builtin_images_are_there_for_everyone_and_stay(api: Api, ann: Person) -> None:
    found = ann.ok("get", "/projects/public/images?sort=name")["items"]
    assert [row["name"] for row in found] == sorted(builtin.name for builtin in BUILTINS)
    assert {row["name"]: row["state"] for row in found} == {
        "tidemill/algorithms": "not_made",
        "tidemill/jupyter": "not_made",
        "tidemill/python": "ready",
        "tidemill/pytorch": "not_made",
        "tidemill/runtime": "not_made",
    }
    answer = api.admin.delete(f"/projects/public/images/{found[0]['id']}?force=true")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "image_builtin")


def test_only_the_description_can_be_changed_and_that_is_written_down(api: Api, ann: Person, docker: Docker) -> None:
    docker.push("tides/base", "1")
    image = ann.ok("get", "/projects/tides/images")["items"][0]
    changed = ann.ok("patch", f"/projects/tides/images/{image['id']}", json={"description": " for tides "})
    assert changed["description"] == "for tides"
    assert ann.patch(f"/projects/tides/images/{image['id']}", json={"name": "x"}).status_code == 422
    docker.push("tides/base", "1", "newer")
    again = ann.ok("get", f"/projects/tides/images/{image['id']}")
    assert again["description"] == "for tides"
    assert again["digest"] != image["digest"]
    actions = [row["action"] for row in api.admin.ok("get", "/projects/tides/audit?limit=50")["items"]]
    assert [action for action in actions if action.startswith("image.")] == ["image.push", "image.update", "image.push"]


def test_a_deleted_image_takes_its_content_with_it_and_leaves_what_others_need(
    api: Api, ann: Person, docker: Docker
) -> None:
    pushed = docker.push("tides/base", "1")
    docker.manifest("tides/base", "same", pushed.manifest)
    docker.manifest("tides/base", "all", index_of(pushed.manifest), OCI_INDEX)
    rows = {row["version"]: row["id"] for row in ann.ok("get", "/projects/tides/images")["items"]}
    ann.ok("delete", f"/projects/tides/images/{rows['1']}")
    assert docker.call("GET", "/tides/base/manifests/same").status_code == 200
    ann.ok("delete", f"/projects/tides/images/{rows['same']}")
    assert docker.call("GET", f"/tides/base/manifests/{pushed.digest}").status_code == 200, "the index needs it"
    ann.ok("delete", f"/projects/tides/images/{rows['all']}")
    assert (used(api), count(api.app.state.db, ManifestRow), count(api.app.state.db, ChildRow)) == (0, 0, 0)
    assert count(api.app.state.db, PinRow) == 0
    assert is_clean(api)


def test_an_image_in_use_is_deleted_only_by_those_who_insist(api: Api, ann: Person, docker: Docker) -> None:
    class Busy:
        def of_image(self, session: Any, image_id: str) -> list[dict[str, Any]]:
            del session
            return [{"id": "wkl_1", "name": "training", "kind": "run", "image": image_id}]

        def digests(self, session: Any) -> set[str]:
            del session
            return set()

    docker.push("tides/base", "1")
    image = ann.ok("get", "/projects/tides/images")["items"][0]["id"]
    api.app.state.images.users.append(Busy())
    answer = ann.delete(f"/projects/tides/images/{image}")
    assert answer.status_code == 409
    assert answer.json()["error"]["details"][0]["name"] == "training"
    ann.ok("delete", f"/projects/tides/images/{image}?force=true")
    assert ann.get(f"/projects/tides/images/{image}").status_code == 404


def test_an_image_tells_its_layers_and_what_of_the_project_runs_in_it(api: Api, ann: Person, docker: Docker) -> None:
    class Busy:
        def of_image(self, session: Any, image_id: str, *, project_id: str | None = None) -> list[dict[str, Any]]:
            del session, image_id
            return [{"id": "wl_1", "name": f"in {project_id}", "kind": "run"}]

        def digests(self, session: Any) -> set[str]:
            del session
            return set()

    pushed = docker.push("tides/base", "1")
    docker.manifest("tides/base", "all", index_of(pushed.manifest), OCI_INDEX)
    api.app.state.images.users.append(Busy())
    rows = {row["version"]: row["id"] for row in ann.ok("get", "/projects/tides/images")["items"]}
    contents = ann.ok("get", f"/projects/tides/images/{rows['1']}/contents")
    assert contents["platforms"] == ["linux/amd64"]
    assert [(one["digest"], one["size_bytes"], one["made_by"]) for one in contents["layers"]] == [
        (digest_of(pushed.layers[0]), len(pushed.layers[0]), None)
    ]
    project_id = ann.ok("get", "/projects/tides")["id"]
    assert contents["users"] == [{"id": "wl_1", "name": f"in {project_id}", "kind": "run"}]
    # An index that names no machine has no image for this one.
    assert ann.ok("get", f"/projects/tides/images/{rows['all']}/contents")["layers"] == []


def test_the_steps_of_a_build_are_told_at_their_layers(ann: Person, docker: Docker) -> None:
    packed = layer("tide")
    history = [{"created_by": "FROM scratch", "empty_layer": True}, {"created_by": "COPY tide /"}, "nonsense"]
    config = json.dumps({"architecture": "arm64", "os": "linux", "variant": "v8", "history": history}).encode()
    docker.blob("tides/steps", config)
    docker.blob("tides/steps", packed)
    assert docker.manifest("tides/steps", "1", manifest_of(config, packed)).status_code == 201
    image = ann.ok("get", "/projects/tides/images")["items"][0]["id"]
    contents = ann.ok("get", f"/projects/tides/images/{image}/contents")
    assert [one["made_by"] for one in contents["layers"]] == ["COPY tide /"]
    assert contents["platforms"] == ["linux/arm64/v8"]


def test_images_of_other_projects_are_not_there(api: Api, docker: Docker) -> None:
    docker.push("tides/base", "1")
    api.project("moon")
    ben = api.user("ben", project="moon")
    image = api.admin.ok("get", "/projects/tides/images")["items"][0]["id"]
    for call in (ben.get, ben.delete):
        assert call(f"/projects/moon/images/{image}").status_code == 404
        assert call(f"/projects/tides/images/{image}").status_code == 404
    assert ben.patch(f"/projects/moon/images/{image}", json={"description": "x"}).status_code == 404


def test_a_saved_archive_becomes_an_image_and_leaves_no_trace(api: Api, ann: Person, docker: Docker) -> None:
    digest = send(ann, tar_of(docker_save()))
    body = {"name": "saved", "version": "1", "sha256": digest, "description": "from a file", "specs": ["small"]}
    job = ann.ok("post", "/projects/tides/images/import", json=body)
    assert job["kind"] == "image_import"
    run_jobs(api.app)
    done = job_of(ann, "tides", job)
    assert done["state"] == "completed", done
    image = ann.ok("get", f"/projects/tides/images/{done['result']['image_id']}")
    assert (image["description"], image["specs"], image["state"]) == ("from a file", ["small"], "ready")
    assert docker.call("GET", f"/tides/saved/blobs/{digest_of(PLAIN)}").content == PLAIN
    assert used(api) == image["size_bytes"], "the archive itself is not charged any more"
    assert ann.post("/projects/tides/images/import", json=body).status_code == 409
    assert is_clean(api)


def test_what_is_no_saved_image_fails_with_the_reason(api: Api, ann: Person) -> None:
    digest = send(ann, tar_of({"hello": b"world"}))
    body = {"name": "saved", "version": "1", "sha256": digest}
    job = ann.ok("post", "/projects/tides/images/import", json=body)
    run_jobs(api.app)
    done = job_of(ann, "tides", job)
    assert (done["state"], done["error"]["code"]) == ("failed", "archive_invalid")
    assert ann.ok("get", "/projects/tides/images")["items"] == []
    missing = ann.post("/projects/tides/images/import", json={**body, "sha256": "0" * 64})
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "archive_missing")
    bad = ann.post("/projects/tides/images/import", json={**body, "name": "Bad Name"})
    assert (bad.status_code, bad.json()["error"]["field"]) == (422, "name")


@pytest.fixture
def port(api: Api) -> Iterator[int]:
    """Our own registry on a loopback port, which pulls may reach."""
    api.app.state.settings.outbound_allow.append("127.0.0.1")
    server = uvicorn.Server(uvicorn.Config(api.app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(10)


def test_an_image_is_pulled_from_another_registry_with_its_password(
    api: Api, ann: Person, docker: Docker, port: int
) -> None:
    pushed = docker.push("tides/base", "1")
    api.project("moon")
    api.admin.ok("post", "/projects/moon/members", json={"user": "ann", "role": "member"})
    body = {"name": "copied", "version": "1", "reference": f"127.0.0.1:{port}/tides/base:1"}
    secret = {"user": "ann", "password": docker.token}
    job = ann.ok("post", "/projects/moon/images/pull", json={**body, **secret})
    assert docker.token not in json.dumps(job)
    run_jobs(api.app)
    done = job_of(ann, "moon", job)
    assert done["state"] == "completed", done
    assert done["result"]["digest"] == pushed.digest
    assert docker.call("GET", "/moon/copied/manifests/1").content == pushed.manifest
    assert not list((api.app.state.settings.home / "pulls").iterdir())
    for change, code in (
        ({"reference": f"127.0.0.1:{port}/tides/none:1", **secret}, "pull_unknown"),
        ({}, "pull_denied"),
    ):
        job = ann.ok("post", "/projects/moon/images/pull", json={**body, "version": "2", **change})
        run_jobs(api.app)
        assert job_of(ann, "moon", job)["error"]["code"] == code


def test_pulls_reach_no_private_address_and_refuse_what_is_no_name(ann: Person) -> None:
    body = {"name": "copied", "version": "1"}
    for reference, code in (
        ("127.0.0.1:5000/x:1", "address_private"),
        ("169.254.169.254/latest:1", "address_private"),
        ("[::1]:5000/x", "address_private"),
        ("host.example/UPPER", "pull_reference"),
        ("a b", "pull_reference"),
        ("host.example/x@sha256:12", "pull_reference"),
    ):
        answer = ann.post("/projects/tides/images/pull", json={**body, "reference": reference})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, code), reference


def test_what_was_never_used_is_collected_after_its_time_and_not_before(api: Api, docker: Docker) -> None:
    kept = docker.push("tides/base", "1")
    old = docker.push("tides/base", "2", "old")
    docker.push("tides/base", "2", "new")
    lonely = docker.blob("tides/base", b"never part of anything")
    docker.call("POST", "/tides/base/blobs/uploads/")
    images = api.app.state.images
    tidy(images)
    assert docker.call("GET", f"/tides/base/blobs/{lonely}").status_code == 200
    assert docker.call("GET", f"/tides/base/manifests/{old.digest}").status_code == 200
    later(api, days=8)
    tidy(images)
    assert docker.call("GET", f"/tides/base/blobs/{lonely}").status_code == 404
    assert docker.call("GET", f"/tides/base/manifests/{old.digest}").status_code == 404
    assert docker.call("GET", "/tides/base/manifests/2").status_code == 200
    for data in (kept.config, *kept.layers):
        assert docker.call("GET", f"/tides/base/blobs/{digest_of(data)}").content == data
    report = gc.collect(images.db, images.store, images.clock(), timedelta(hours=1))
    assert (report.uploads, report.blobs > 0) == (1, True)
    assert docker.call("GET", "/tides/base/manifests/1").content == kept.manifest
    assert is_clean(api)


def test_content_that_a_client_was_told_is_here_stays_for_its_manifest(api: Api, docker: Docker) -> None:
    pushed = docker.push("tides/base", "1")
    assert docker.call("HEAD", f"/tides/base/blobs/{digest_of(pushed.config)}").status_code == 200
    docker.call("DELETE", f"/tides/base/manifests/{pushed.digest}")
    later = manifest_of(pushed.config)
    assert docker.manifest("tides/base", "2", later).status_code == 201
    assert is_clean(api)


def test_a_project_goes_with_its_images(api: Api, docker: Docker) -> None:
    docker.push("tides/base", "1")
    project_id = api.admin.ok("get", "/projects/tides")["id"]
    api.admin.ok("delete", "/projects/tides")
    purge_project(api.app.state.db, project_id, by=system_caller())
    with api.app.state.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).where(ImageRow.kind == "oci")) == 0
        assert session.scalar(sa.select(sa.func.count()).where(HoldingRow.project_id == project_id)) == 0
