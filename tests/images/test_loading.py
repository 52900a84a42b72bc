"""OCI images given to a real container engine straight from the store."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy.orm import Session

from tests.conftest import Api
from tests.containers import Podman
from tests.images.registry import docker_of, index_of
from tests.images.test_resolve import resolve
from tidemill.engines.runner.docker import Docker
from tidemill.images import service
from tidemill.images.registry.manifests import OCI_INDEX
from tidemill.images.tidy import tidy
from tidemill.kernel.errors import Invalid, Unavailable


def test_an_image_is_loaded_once_under_a_tag_of_its_digest(api: Api, podman: str) -> None:
    api.project("tides")
    docker_of(api, api.admin).push("tides/base", "1", f"loaded from the store {uuid4()}")
    api.app.state.settings.container_socket = podman
    found = resolve(api, "tides", "base:1")
    words: list[str] = []
    image = service.make_ready(api.app.state.images, found, words.append)
    assert image.reference == f"127.0.0.1:8700/tides/base:{found.digest.replace(':', '-')}"
    assert Docker(podman).json("GET", f"/images/{image.reference}/json")["Id"]
    assert words == ["loading base"]
    assert service.make_ready(api.app.state.images, found, words.append) == image
    assert len(words) == 1, "the second time it is there"


def test_an_index_without_an_image_for_this_machine_is_refused(api: Api, podman: str) -> None:
    api.project("tides")
    docker = docker_of(api, api.admin)
    pushed = docker.push("tides/base", "1")
    docker.manifest("tides/base", "all", index_of(pushed.manifest), OCI_INDEX)
    api.app.state.settings.container_socket = podman
    with pytest.raises(Invalid) as refused:
        service.make_ready(api.app.state.images, resolve(api, "tides", "base:all"))
    assert refused.value.code == "image_other_machine"


def test_an_image_the_engine_cannot_read_says_so(api: Api, podman: str) -> None:
    api.project("tides")
    docker = docker_of(api, api.admin)
    docker.push("tides/base", "1", layers=[])
    api.app.state.settings.container_socket = podman
    with pytest.raises(Unavailable) as refused:
        service.make_ready(api.app.state.images, resolve(api, "tides", "base:1"))
    assert refused.value.code == "image_not_loaded"


def test_an_image_nobody_needs_any_more_leaves_the_engine(api: Api, podman_service: Podman) -> None:
    api.project("tides")
    docker = docker_of(api, api.admin)
    api.app.state.settings.container_socket = podman_service.socket
    for name in ("going", "staying"):
        docker.push(f"tides/{name}", "1", f"loaded from the store {uuid4()}")
    going, staying = (
        service.make_ready(api.app.state.images, resolve(api, "tides", f"{name}:1")).reference
        for name in ("going", "staying")
    )
    podman_service.run("tag", going, f"localhost/mine:{'sha256-' + 'a' * 64}")
    tidy(api.app.state.images)
    assert {going, staying} <= tags(podman_service)
    (image,) = api.admin.ok("get", "/projects/tides/images?q=going")["items"]
    api.admin.ok("delete", f"/projects/tides/images/{image['id']}")
    tidy(api.app.state.images)
    left = tags(podman_service)
    assert going not in left
    assert {staying, f"localhost/mine:{'sha256-' + 'a' * 64}"} <= left, "what others tagged is theirs"


def test_an_image_that_something_runs_in_stays_after_its_deletion(api: Api, podman_service: Podman) -> None:
    api.project("tides")
    docker_of(api, api.admin).push("tides/base", "1", f"loaded from the store {uuid4()}")
    api.app.state.settings.container_socket = podman_service.socket
    found = resolve(api, "tides", "base:1")
    loaded = service.make_ready(api.app.state.images, found).reference
    uses = Uses({found.digest})
    api.app.state.images.users.append(uses)
    api.admin.ok("delete", f"/projects/tides/images/{found.id}")
    tidy(api.app.state.images)
    assert loaded in tags(podman_service)
    uses.held.clear()
    tidy(api.app.state.images)
    assert loaded not in tags(podman_service)


class Uses:
    """A room that runs things in images."""

    def __init__(self, held: set[str]) -> None:
        self.held = held

    def of_image(self, session: Session, image_id: str) -> list[dict[str, Any]]:
        del session, image_id
        return []

    def digests(self, session: Session) -> set[str]:
        del session
        return self.held


def tags(podman: Podman) -> set[str]:
    found = Docker(podman.socket).json("GET", "/images/json")
    return {tag for image in found for tag in image.get("RepoTags") or []}
