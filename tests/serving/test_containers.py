"""The built-in model server on a container image: built, served by replicas, and run where the platform is not."""

import base64
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.containers import Podman
from tests.images.wheels import write_wheel
from tests.models.colours import model_files, picture
from tests.packages.conftest import write
from tests.packages.test_exports import free_port
from tests.python_image import write_python_image
from tests.serving.stage import PROJECT, Stage, open_stage
from tidemill.sdk import Client

PATIENCE_S = 60
SECRET = "hunter2"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An index of packages that the server's pip is told of, with a password."""
    folder = tmp_path_factory.mktemp("index")
    (folder / "simple" / "tide").mkdir(parents=True)
    write_wheel(folder / "simple" / "tide", "tide", "1.0", code="HEIGHT = 3\n")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://ann:{SECRET}@127.0.0.1:{server.server_port}/simple"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def stage(podman_service: Podman, index: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("containers")
    write_python_image(folder / "base.tar")
    told = {"TIDEMILL_CONTAINER_SOCKET": podman_service.socket, "PIP_INDEX_URL": index, "PIP_CONFIG_FILE": "/dev/null"}
    with open_stage(folder, **told) as made:
        with made.client() as client:
            client.jobs.wait(client.images.load(folder / "base.tar", "base", "1"))
            client.models.push(write(folder / "colours", model_files()), "colours", scene="image-classification")
            client.models.push(
                write(folder / "sharp", model_files(sharpness=9.0)), "sharp", scene="image-classification"
            )
        yield made


@pytest.fixture(scope="module")
def boxed(stage: Stage) -> Any:
    """The package on the container image; it needs something that the image does not have."""
    return build(stage, "boxed", models=["colours"], image="base:1", requirements=["tide"])


@pytest.fixture(scope="module")
def expected(stage: Stage) -> dict[str, Any]:
    """What the same model says in a process of the machine's own."""
    build(stage, "plain", models=["colours"])
    return through_gateway(stage, "plain")


def test_no_code_is_needed_on_an_image_that_has_nothing_but_python(
    stage: Stage, boxed: Any, expected: dict[str, Any], podman_service: Podman, tmp_path: Path
) -> None:
    assert (boxed.runtime, boxed.server, boxed.protocol) == ("oci", "builtin", "v2")
    with stage.client() as client:
        file = client.packages.export("boxed", tmp_path / "boxed.tar")
    podman_service.run("load", "-i", str(file))
    port = free_port()
    with running(podman_service, boxed.image, port) as container:
        assert answers(f"http://127.0.0.1:{port}") == expected
        assert podman_service.run("exec", container, "python", "-c", "import tide; print(tide.HEIGHT)") == "3\n"
        # Where the server's pip finds packages did not go along.
        assert podman_service.run("exec", container, "sh", "-c", "ls /run/secrets || true") == ""
    shown = podman_service.run("history", "--no-trunc", boxed.image) + podman_service.run("inspect", boxed.image)
    assert SECRET not in shown


def test_replicas_share_the_machines_network_and_only_the_gateway_reaches_them(
    stage: Stage, boxed: Any, expected: dict[str, Any], podman_service: Podman
) -> None:
    assert through_gateway(stage, "boxed", replicas=2) == expected
    stage.until("boxed", lambda one: one["production"]["ready"] == 2, within_s=PATIENCE_S)
    replicas = podman_service.run("ps", "--quiet", "--filter", "label=tidemill.launch").split()
    listening = [variables(podman_service, one) for one in replicas]
    ports = {int(one[name]) for one in listening for name in ("PORT", "TIDEMILL_GRPC_PORT")}
    assert len(ports) == 4
    # gRPC says 127.0.0.1 in the long form.
    assert {address[-8:] for port in ports for address in listeners(port)} == {"0100007F"}


def test_another_model_on_the_same_image_fetches_no_packages_again(stage: Stage, boxed: Any) -> None:
    other = build(stage, "other", models=["sharp"], image="base:1", requirements=["tide"])
    assert other.digest != boxed.digest
    with stage.client() as client:
        installing, copying = re.findall(r"STEP \d+/\d+: (?:RUN|COPY package) .*\n(.*)", log_of(client, "other@1"))
    assert "Using cache" in installing
    assert "Using cache" not in copying


def log_of(client: Client, version: str) -> str:
    return "".join(client.packages.logs(version))


def build(stage: Stage, name: str, **recipe: Any) -> Any:
    with stage.client() as client:
        client.packages.create(name, scene="image-classification")
        return client.packages.wait(client.packages.build(name, **recipe))


def answers(url: str, **headers: str) -> dict[str, Any]:
    """What a server says of a picture, in both of its ways."""
    deadline = time.monotonic() + PATIENCE_S
    with httpx2.Client(base_url=url, headers=headers, timeout=30, trust_env=False) as http:
        while not is_ready(http):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        said = http.post("/predict", content=picture("red", 1)).raise_for_status().json()
        content = {
            "name": "content",
            "shape": [1],
            "datatype": "BYTES",
            "data": [base64.b64encode(picture("blue")).decode()],
        }
        body = {"inputs": [content], "parameters": {"binary": "base64"}}
        inferred = http.post("/v2/models/colours/infer", json=body).raise_for_status().json()
    return {"predict": {**said, "latency_ms": None}, "infer": inferred["outputs"]}


def is_ready(http: httpx2.Client) -> bool:
    try:
        return http.get("/v2/health/ready").status_code == 200
    except httpx2.TransportError:
        return False


def through_gateway(stage: Stage, name: str, **fields: Any) -> dict[str, Any]:
    """The answers of a service of the package of that name."""
    stage.deploy(name, package=f"{name}@1", **fields)
    stage.until(name, lambda one: one["state"] == "serving", within_s=PATIENCE_S)
    key = stage.key(name)
    stage.until_open(name, key)
    return answers(f"{stage.gateway}/{PROJECT}/{name}", **{"X-API-Key": key})


def variables(podman: Podman, container: str) -> dict[str, str]:
    told = json.loads(podman.run("inspect", "--format", "{{json .Config.Env}}", container))
    return dict(one.split("=", 1) for one in told)


def listeners(port: int) -> set[str]:
    """The addresses something listens at on that port, as the kernel writes them."""
    rows = [line.split() for file in ("tcp", "tcp6") for line in Path("/proc/net", file).read_text().splitlines()[1:]]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and int(row[1].partition(":")[2], 16) == port}


@contextmanager
def running(podman: Podman, image: str, port: int) -> Iterator[str]:
    options = ["--network", "host", "--env", f"PORT={port}", "--env", f"TIDEMILL_GRPC_PORT={free_port()}"]
    container = podman.run("run", "-d", *options, image).strip()
    try:
        yield container
    finally:
        podman.run("rm", "-f", container)
