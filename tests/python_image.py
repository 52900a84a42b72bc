"""A container image with Python, made of what this machine has: no registry and no network are needed.

It is as distributions are: the interpreter is called `python3`, and pip is kept from its packages (PEP 668); and as
images are: with a user and an entry point of their own. It has what the model server needs, and busybox for a shell.
"""

import hashlib
import importlib.metadata
import io
import json
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tidemill.models.pythons import RUNTIME, needs_of
from tidemill.packages.locking import SDK, installed

_STDLIB = Path(sysconfig.get_path("stdlib", vars={"base": sys.base_prefix, "installed_base": sys.base_prefix}))
_SITE = "usr/lib/packages"
_LEFT_OUT = frozenset(
    {"__pycache__", "site-packages", "dist-packages", "test", "tests", "idlelib", "tkinter", "lib2to3", "turtledemo"}
)
_HOLLOW = frozenset({"av"})
"""A hundred megabytes for sounds and films: of these pip finds that they are there, and no more."""
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def write_python_image(file: Path) -> None:
    """Writes it in the form of `docker save`, as `base:1`."""
    layer = file.with_suffix(".layer")
    with tarfile.open(layer, "w") as tar:
        _fill(tar)
    with layer.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    config = json.dumps(
        {
            "architecture": _MACHINES.get(platform.machine(), platform.machine()),
            "os": "linux",
            "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "Entrypoint": ["python3"], "User": "1000"},
            "history": [{"created": "2026-01-01T00:00:00Z", "created_by": "test"}],
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        }
    ).encode()
    name = f"{hashlib.sha256(config).hexdigest()}.json"
    listed = [{"Config": name, "RepoTags": ["base:1"], "Layers": [f"{digest}/layer.tar"]}]
    with tarfile.open(file, "w") as tar:
        _add_bytes(tar, name, config)
        tar.add(layer, f"{digest}/layer.tar")
        _add_bytes(tar, "manifest.json", json.dumps(listed).encode())
    layer.unlink()


def _fill(tar: tarfile.TarFile) -> None:
    python = Path(sys.executable).resolve()
    packages = sorted(_packages(), key=lambda one: one[0])
    tar.add(_STDLIB, _inside(_STDLIB), filter=_without)
    _add_bytes(tar, f"{_inside(_STDLIB)}/EXTERNALLY-MANAGED", b"[externally-managed]\nError=Not here.\n")
    # The interpreter looks for its packages beside its library: one line leads it to ours.
    _add_bytes(tar, f"{_inside(_STDLIB)}/{_SITES}/ours.pth", f"/{_SITE}\n".encode())
    for path, source in packages:
        tar.add(source, f"{_SITE}/{path}")
    binaries = [python, *_STDLIB.glob("lib-dynload/*.so"), *(source for _, source in packages if ".so" in source.name)]
    for library in _libraries(binaries):
        tar.add(library.resolve(), _inside(library))
    tar.add(python, _inside(python))
    busybox = Path(shutil.which("busybox") or "busybox").resolve()
    tar.add(busybox, "bin/busybox")
    for name in ("sh", "mkdir", "ln", "ls", "cat", "dirname"):
        _add_link(tar, f"bin/{name}", "busybox")
    _add_link(tar, "usr/bin/python3", str(python))
    for folder in ("tmp", "usr/local"):
        _add_folder(tar, folder)


_SITES = "dist-packages" if _STDLIB.parent.parent == Path("/usr") else "site-packages"


def _packages() -> Iterator[tuple[str, Path]]:
    """Files of what the model server needs, and of pip."""
    for name, _ in installed([*needs_of(RUNTIME), *SDK, "pip"]):
        found = importlib.metadata.distribution(name)
        for file in found.files or []:
            is_told = file.parts[0].endswith(".dist-info")
            path = Path(str(file.locate()))
            if ".." in file.parts or file.suffix == ".pyc" or not path.is_file() or (name in _HOLLOW and not is_told):
                continue
            yield file.as_posix(), path


def _without(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = entry.name.rpartition("/")[2]
    return None if name in _LEFT_OUT or name.startswith("config-") else entry


def _libraries(binaries: list[Path]) -> list[Path]:
    """What these load from outside of Python's own folders."""
    said = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    found = {Path(word) for word in said.split() if word.startswith("/") and not word.endswith(":")}
    return sorted(one for one in found if sysconfig.get_path("platlib") not in str(one))


def _inside(path: Path) -> str:
    return str(path).lstrip("/")


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _add_link(tar: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    tar.addfile(entry)


def _add_folder(tar: tarfile.TarFile, name: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o1777
    tar.addfile(entry)
