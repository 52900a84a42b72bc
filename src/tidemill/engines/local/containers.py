"""Finding a container engine: Docker or Podman, by the Docker Engine API."""

import os
from pathlib import Path
from urllib.parse import quote

from tidemill.engines.base import EngineError
from tidemill.engines.local.nodes import Node
from tidemill.engines.runner.container import container_name
from tidemill.engines.runner.docker import ApiError, Docker


def container_socket(wanted: str | None) -> str | None:
    """The socket of an engine that answers, or None."""
    for path in _candidates(wanted):
        if os.path.exists(path) and _answers(path):
            return path
    return None


def limits_held(path: str) -> frozenset[str]:
    """Which limits the engine says it holds containers to."""
    try:
        info = Docker(path, timeout_s=5).json("GET", "/info")
    except (OSError, ApiError):
        return frozenset()
    names = {"MemoryLimit": "memory", "CpuCfsQuota": "cpu", "CPUCfsQuota": "cpu", "PidsLimit": "pids"}
    return frozenset(limit for name, limit in names.items() if info.get(name))


def save_container(node: Node, folder: Path) -> Path:
    """The container as it is now, as an archive in the form of `docker save`."""
    docker = Docker(node.record["container"]["socket"], timeout_s=None)
    name = container_name(node.launch["id"], node.record["index"])
    image = f"tidemill-snapshot:{os.urandom(8).hex()}"
    repository, _, tag = image.partition(":")
    archive = folder / f"{tag}.tar"
    try:
        docker.call("POST", f"/commit?container={quote(name)}&repo={repository}&tag={tag}&pause=1", {}).read()
        try:
            answer = docker.call("GET", f"/images/{quote(image)}/get")
            with archive.open("xb") as file:
                while block := answer.read(1 << 20):
                    file.write(block)
        finally:
            docker.call("DELETE", f"/images/{quote(image)}?noprune=0").read()
    except (ApiError, OSError) as error:
        archive.unlink(missing_ok=True)
        raise EngineError(f"the container cannot be saved: {error}") from None
    return archive


def _candidates(wanted: str | None) -> list[str]:
    if wanted:
        return [wanted.removeprefix("unix://")]
    found = []
    host = os.environ.get("DOCKER_HOST", "")
    if host.startswith("unix://"):
        found.append(host.removeprefix("unix://"))
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        found += [f"{runtime}/podman/podman.sock", f"{runtime}/docker.sock"]
    return [*found, "/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock"]


def _answers(path: str) -> bool:
    try:
        Docker(path, timeout_s=5).get("/_ping")
    except (OSError, ApiError):
        return False
    return True
