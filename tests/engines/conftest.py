"""Engines on scratch folders, and a container engine where the machine has one."""

import os
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tidemill.engines.local import LocalEngine, LocalSettings
from tidemill.engines.runner.docker import ApiError, Docker
from tidemill.store.local import LocalBackend

PODMAN_SETTINGS = """
[containers]
default_ulimits = ["nofile=20000:20000","nproc=10000:10000"]
[engine]
runtime = "runc"
"""
IMAGE = "localhost/tidemill-test:1"
MAX_PROCESSES = 200

Open = Callable[..., LocalEngine]


@pytest.fixture
def backend(tmp_path: Path) -> LocalBackend:
    return LocalBackend(tmp_path / "store", fsync=False)


@pytest.fixture
def put(backend: LocalBackend) -> Callable[[bytes], str]:
    def put(data: bytes) -> str:
        digest = sha256(data).hexdigest()
        backend.put_bytes(digest, data)
        return digest

    return put


@pytest.fixture
def open_engine(tmp_path: Path, backend: LocalBackend) -> Iterator[Open]:
    """Opens an engine on the test's folder, closing the one before: there is one control plane at a time."""
    opened: list[LocalEngine] = []

    def open(**settings: object) -> LocalEngine:
        while opened:
            opened.pop().close()
        chosen: dict[str, object] = {"devices": "", "max_processes": MAX_PROCESSES} | settings
        opened.append(LocalEngine(tmp_path / "engine", backend, LocalSettings(**chosen)))  # type: ignore[arg-type]
        return opened[-1]

    yield open
    for engine in opened:
        engine.close()


@pytest.fixture(scope="session")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Podman service of our own with a small image: its socket."""
    missing = [name for name in ("podman", "runc", "busybox") if shutil.which(name) is None]
    if missing or os.getuid() != 0:
        pytest.skip(f"no containers here: {', '.join(missing) + ' missing' if missing else 'not root'}")
    folder = tmp_path_factory.mktemp("podman")
    (folder / "containers.conf").write_text(PODMAN_SETTINGS)
    socket_path = f"{folder}/podman.sock"
    argv = ["podman", "--root", f"{folder}/root", "--runroot", f"{folder}/run", "--storage-driver", "vfs"]
    argv += ["--cgroup-manager", "cgroupfs", "system", "service", "--time=0", f"unix://{socket_path}"]
    environment = os.environ | {"CONTAINERS_CONF": f"{folder}/containers.conf"}
    with (folder / "log").open("wb") as log:
        service = subprocess.Popen(argv, env=environment, stdout=log, stderr=log)
    try:
        _wait_for_podman(service, socket_path, folder / "log")
        _build_image(folder, socket_path)
        yield socket_path
    finally:
        service.send_signal(signal.SIGTERM)
        service.wait(30)


def _wait_for_podman(service: "subprocess.Popen[bytes]", socket_path: str, log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            Docker(socket_path).get("/_ping")
        except (OSError, ApiError):
            if service.poll() is not None or time.monotonic() > deadline:
                pytest.skip(f"Podman does not start here: {log.read_text()[-300:]}")
            time.sleep(0.05)
        else:
            return


def _build_image(folder: Path, socket_path: str) -> None:
    """An image of nothing but busybox, imported as a file tree."""
    tree = folder / "tree"
    (tree / "bin").mkdir(parents=True)
    busybox = shutil.which("busybox")
    assert busybox is not None
    shutil.copy(busybox, tree / "bin" / "busybox")
    for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if name != "busybox":
            (tree / "bin" / name).symlink_to("busybox")
    archive = folder / "tree.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(tree, "/")
    argv = ["podman", "--root", f"{folder}/root", "--runroot", f"{folder}/run", "--storage-driver", "vfs"]
    subprocess.run([*argv, "import", str(archive), IMAGE], check=True, capture_output=True)
