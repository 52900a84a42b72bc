"""OCI images given to a real container engine straight from the store."""

from uuid import uuid4

import pytest

from tests.conftest import Api
from tests.images.registry import docker_of, index_of
from tests.images.test_resolve import resolve
from tidemill.engines.runner.docker import Docker
from tidemill.images import service
from tidemill.images.registry.manifests import OCI_INDEX
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
