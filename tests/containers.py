"""A container engine of the tests' own: Podman with storage of its own, and a small image."""

import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tidemill.engines.runner.docker import ApiError, Docker

IMAGE = "localhost/tidemill-test:1"
SETTINGS = """
[containers]
default_ulimits = ["nofile=20000:20000","nproc=10000:10000"]
[engine]
runtime = "runc"
"""
START_LIMIT_S = 30


@dataclass(frozen=True)
class Podman:
    """What it takes to speak with it: by its socket, or by its command."""

    folder: Path
    driver: str = "vfs"
    """Works everywhere, by copying whole layers; `overlay` copies nothing, where the file system allows it."""

    @property
    def socket(self) -> str:
        return f"{self.folder}/podman.sock"

    @property
    def command(self) -> list[str]:
        storage = ["--root", f"{self.folder}/root", "--runroot", f"{self.folder}/run", "--storage-driver", self.driver]
        return ["podman", *storage, "--cgroup-manager", "cgroupfs"]

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "CONTAINERS_CONF": f"{self.folder}/containers.conf",
            "REGISTRY_AUTH_FILE": f"{self.folder}/auth.json",
        }

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self.command, *arguments], env=self.environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"podman {' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="session")
def podman_service() -> Iterator[Podman]:
    missing = [name for name in ("podman", "runc", "busybox") if shutil.which(name) is None]
    if missing or os.getuid() != 0:
        pytest.skip(f"no containers here: {', '.join(missing) + ' missing' if missing else 'not root'}")
    # Podman refuses long paths for what it runs in, and pytest's own folders have them.
    with tempfile.TemporaryDirectory(prefix="tm", ignore_cleanup_errors=True) as short:
        podman = Podman(Path(short), "overlay" if _has_overlay(Path(short)) else "vfs")
        (podman.folder / "containers.conf").write_text(SETTINGS)
        (podman.folder / "auth.json").write_text("{}")
        with _serving(podman):
            _make_image(podman)
            yield podman


@pytest.fixture(scope="session")
def podman(podman_service: Podman) -> str:
    """The socket of a Podman of our own, which has the image `IMAGE`."""
    return podman_service.socket


def _has_overlay(folder: Path) -> bool:
    """Whether folders here can be laid over one another."""
    parts = [folder / name for name in ("lower", "upper", "work", "whole")]
    for part in parts:
        part.mkdir()
    options = f"lowerdir={parts[0]},upperdir={parts[1]},workdir={parts[2]}"
    mounted = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, str(parts[3])], capture_output=True)
    if mounted.returncode == 0:
        subprocess.run(["umount", str(parts[3])], check=True)
    return mounted.returncode == 0


@contextmanager
def _serving(podman: Podman) -> Iterator[None]:
    log = podman.folder / "log"
    argv = [*podman.command, "system", "service", "--time=0", f"unix://{podman.socket}"]
    with log.open("wb") as output:
        # Its folder is where it leaves a mark when a container runs out of memory.
        service = subprocess.Popen(
            argv, env=podman.environment, stdout=output, stderr=output, cwd=podman.folder, start_new_session=True
        )
    try:
        _wait_for(service, podman.socket, log)
        yield
    finally:
        service.terminate()
        service.wait(30)
        # The driver `overlay` mounts its folder upon itself, and mostly leaves that to the next start.
        folder = podman.folder / "root" / "overlay"
        if podman.driver == "overlay" and folder.is_mount():
            subprocess.run(["umount", "--recursive", "--lazy", str(folder)], check=True)


def _wait_for(service: "subprocess.Popen[bytes]", socket: str, log: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        try:
            Docker(socket).get("/_ping")
        except (OSError, ApiError):
            if service.poll() is not None or time.monotonic() > deadline:
                pytest.skip(f"Podman does not start here: {log.read_text()[-300:]}")
            time.sleep(0.05)
        else:
            return


def _make_image(podman: Podman) -> None:
    """An image of nothing but busybox, imported as a file tree."""
    tree = podman.folder / "tree"
    (tree / "bin").mkdir(parents=True)
    busybox = shutil.which("busybox")
    assert busybox is not None
    shutil.copy(busybox, tree / "bin" / "busybox")
    for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if name != "busybox":
            (tree / "bin" / name).symlink_to("busybox")
    _import(podman, tree, IMAGE)


def make_hollow_image(podman: Podman) -> str:
    """An image without a shell: one program, which is nobody's wish."""
    tree = podman.folder / "hollow"
    tree.mkdir(exist_ok=True)
    (tree / "program").write_bytes(b"")
    return _import(podman, tree, "localhost/tidemill-hollow:1")


def _import(podman: Podman, tree: Path, name: str) -> str:
    archive = podman.folder / "tree.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(tree, "/")
    podman.run("import", str(archive), name)
    return name


def make_mpi_image(podman: Podman) -> str:
    """busybox, and this machine's own ssh and Open MPI with what they load."""
    tree = podman.folder / "tree"
    copied = [Path(found) for name in ("ssh", "mpirun", "orted") if (found := shutil.which(name))]
    for pattern in ("openmpi/lib/openmpi*/*.so", "pmix*/lib/pmix/*.so", "libnss_files*", "libnss_compat*"):
        copied += Path("/usr/lib/x86_64-linux-gnu").glob(pattern)
    copied += Path("/usr/share/openmpi").glob("*")
    copied += Path("/usr/share").glob("pmix*/*")
    for path in dict.fromkeys([*copied, *_libraries(copied)]):
        _copy_into(tree, path)
    (tree / "etc").mkdir(exist_ok=True)
    (tree / "etc" / "passwd").write_text("root:x:0:0:root:/workspace/.home:/bin/sh\n")
    return _import(podman, tree, "localhost/tidemill-mpi:1")


def _libraries(programs: list[Path]) -> list[Path]:
    said = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False).stdout
    return sorted({Path(word) for word in said.split() if word.startswith("/") and not word.endswith(":")})


def _copy_into(tree: Path, path: Path) -> None:
    target = tree / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and not target.exists():
        shutil.copy(path, target)
