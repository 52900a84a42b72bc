"""Packages on container images: built by a real Podman, without network, into our own registry."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.containers import IMAGE, Podman
from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tests.models.colours import model_files
from tests.packages.conftest import write
from tidemill.sdk import Client

APP = b"""#!/bin/sh
mkdir -p /tmp/www && cp /package/built /tmp/www/index.html
exec busybox httpd -f -p "$TIDEMILL_HOST:$PORT" -h /tmp/www
"""


@pytest.fixture(scope="module")
def server(podman_service: Podman, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    environment = {
        "TIDEMILL_CONTAINER_SOCKET": podman_service.socket,
        "TIDEMILL_STORE_FSYNC": "false",
        "TIDEMILL_ENGINE_RUNTIME": "process",
    }
    with live_server(tmp_path_factory.mktemp("oci") / "home", **environment) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: LiveServer, podman_service: Podman, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("sent")
    with Client(server.url, project="tides") as found:
        found.sign_in("admin", ADMIN_PASSWORD)
        found.projects.create("tides")
        podman_service.run("save", "-o", str(folder / "base.tar"), IMAGE)
        found.jobs.wait(found.images.load(folder / "base.tar", "base", "1"))
        found.models.push(write(folder / "colours", model_files()), "colours", scene="image-classification")
        found.algorithms.push(write(folder / "app", {"app.sh": APP}), "app")
        yield found


def test_a_package_on_a_container_image_is_a_real_image_in_the_registry(
    client: Client, podman_service: Podman, tmp_path: Path
) -> None:
    client.packages.create("shop")
    recipe: dict[str, Any] = {
        "models": ["colours"],
        "algorithm": "app",
        "image": "base:1",
        "command": "sh app.sh",
        "shell_commands": ["echo made > /package/built"],
        "port": 8099,
    }
    version = client.packages.wait(client.packages.build("shop", **recipe))
    assert (version.runtime, version.protocol, version.state) == ("oci", "http", "completed")
    log = "".join(client.packages.logs("shop@1"))
    assert "COPY package /package/" in log
    assert version.image is not None
    image = client.images.get(version.image)
    assert (image.kind, image.state) == ("oci", "ready")
    with pytest.raises(Exception, match=r"base:1|in use|使用"):
        client.images.delete("base:1")
    # Where the platform is not: the file of the image is all it takes.
    file = client.packages.export("shop", tmp_path / "shop.tar")
    there = podman_service.run("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    podman_service.run("rmi", "--force", *(tag for tag in there if "/packages/" in tag))
    podman_service.run("load", "-i", str(file))
    container = podman_service.run("run", "-d", "--network", "host", f"{version.image}").strip()
    try:
        assert wait_for("http://127.0.0.1:8099/") == "made\n"
        listed = podman_service.run("exec", container, "ls", "/package/model/colours")
        assert "model.json" in listed
    finally:
        podman_service.run("rm", "-f", container)


def test_the_same_inputs_have_the_same_digest_and_the_same_image_and_nothing_is_made_twice(client: Client) -> None:
    recipe: dict[str, Any] = {
        "models": ["colours"],
        "algorithm": "app",
        "image": "base:1",
        "command": "sh app.sh",
        "shell_commands": ["cat /proc/sys/kernel/random/uuid > /package/chance"],
    }
    made = []
    for name in ("once", "twice"):
        client.packages.create(name)
        made.append(client.packages.wait(client.packages.build(name, **recipe)))
    assert made[0].digest == made[1].digest
    assert made[1].same_as == ["once@1"]
    assert len({client.images.get(one.image or "").digest for one in made}) == 1
    steps = re.findall(r"STEP \d+/\d+: (\w+).*\n(.*)", "".join(client.packages.logs("twice@1")))
    assert [(name, said) for name, said in steps if name != "FROM" and "Using cache" not in said] == []
    assert "RUN" in dict(steps)


def test_what_a_build_says_is_its_reason_when_it_fails(client: Client) -> None:
    client.packages.create("broken")
    recipe: dict[str, Any] = {"algorithm": "app", "image": "base:1", "command": "sh app.sh"}
    version = client.packages.build("broken", **recipe, shell_commands=["exit 3"])
    with pytest.raises(Exception, match="broken@1"):
        client.packages.wait(version)
    assert (client.packages.version("broken@1").error or {})["code"] == "package_image_failed"


def wait_for(url: str) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            return httpx2.get(url).text
        except httpx2.TransportError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")
