"""Finding a container engine: Docker or Podman, by the Docker Engine API."""

import os

from tidemill.engines.runner.docker import ApiError, Docker


def container_socket(wanted: str | None) -> str | None:
    """The socket of an engine that answers, or None."""
    for path in _candidates(wanted):
        if os.path.exists(path) and _answers(path):
            return path
    return None


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
