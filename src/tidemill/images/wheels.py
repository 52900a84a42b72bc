"""Wheels: found with pip, kept in the store, put into environments.

Only finished wheels come in, and installing those runs no code of theirs. What must be built from source is built by a
workload, where other people's code belongs.
"""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from tidemill.images.environments import OWN_ENTRY, Progress, give_sdk, open_to_own, unseen
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Invalid, Unavailable
from tidemill.store import intake
from tidemill.store.backends import BLOCK_BYTES, BlobBackend, Staged
from tidemill.store.depot import Store

Lock = list[list[str | int]]
"""`[file name, digest, size]` of each wheel, in order of their names."""

WHEEL = re.compile(
    r"[A-Za-z0-9_.!+]+-[A-Za-z0-9_.!+]+(-\d[A-Za-z0-9_.]*)?-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+\.whl"
)
WHEELS_MAX = 2000
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_TAIL_LINES = 8
_ASIDE = re.compile(r"WARNING:|DEPRECATION:|\[notice\]|Looking in (indexes|links):|Saved ", re.IGNORECASE)
"""What pip says besides: no step of the work. Where packages come from may even be a secret."""
_WHENCE = re.compile(r" \(from .*\)$")
"""Which of our own files asked for a package."""


def pip_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What pip may know of this server: where its packages come from, and none of the server's secrets."""
    proxies = {name for name in given if name.upper() in _PROXIES}
    return {name: value for name, value in given.items() if name in _PASSED_ON or name in proxies or name[:4] == "PIP_"}


def download(requirements: Sequence[str], folder: Path, on_progress: Progress) -> None:
    """Fetches finished wheels of these and all they need. The requirements were checked before."""
    listed = folder.with_suffix(".txt")
    listed.write_text("".join(f"{line}\n" for line in requirements), "utf-8")
    arguments = ["download", "--only-binary", ":all:", "--dest", str(folder), "--requirement", str(listed)]
    try:
        _run_pip(arguments, on_progress)
    finally:
        listed.unlink(missing_ok=True)


def take_in(db: Database, store: Store, project_id: str, folder: Path, now: datetime) -> Lock:
    """Makes blobs of all wheels in a folder that somebody else filled; the folder stays as it is."""
    names = sorted(path.name for path in folder.glob("*.whl")) if folder.is_dir() else []
    if not names:
        raise Invalid("wheels_missing", field="requirements")
    if len(names) > WHEELS_MAX:
        raise Invalid("wheels_too_many", field="requirements", max=WHEELS_MAX)
    staged = [_stage(folder / name, store.temporary_file()) for name in names]
    lock: Lock = [[name, file.digest, file.size_bytes] for name, file in zip(names, staged, strict=True)]
    intake.keep_files(db, store.backend, project_id, staged, now)
    return lock


def install(lock: Sequence[Sequence[Any]], backend: BlobBackend, scratch: Path) -> Callable[[Path], None]:
    """What fills a bare environment with these wheels."""

    def fill(folder: Path) -> None:
        wheels = scratch / "wheels"
        wheels.mkdir()
        kept = [one for one in lock if one[0] != OWN_ENTRY]
        files = [str(_lay_out(backend, wheels / str(name), str(digest))) for name, digest, _ in kept]
        if files:
            target = ["--python", str(folder / "bin" / "python")]
            options = ["--no-index", "--no-deps", "--no-warn-script-location", "--ignore-installed"]
            _run_pip([*target, "install", *options, *files], unseen)
        shutil.rmtree(wheels)
        if len(kept) < len(lock):
            open_to_own(folder)
        else:
            give_sdk(folder)

    return fill


def _run_pip(arguments: Sequence[str], on_progress: Progress) -> None:
    command = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "--no-cache-dir", *arguments]
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=pip_environment(os.environ),
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if text := line.strip():
                tail.append(text)
                if not _ASIDE.match(text):
                    on_progress(_WHENCE.sub("", text)[:300])
    if process.returncode != 0:
        raise Unavailable("pip_failed", output="\n".join(tail)[-1500:])


def _lay_out(backend: BlobBackend, path: Path, digest: str) -> Path:
    """A wheel under its own name: pip reads from it what it is."""
    local = backend.local_path(digest)
    if local is not None and local.is_file():
        path.symlink_to(local)
        return path
    with path.open("wb") as file:
        for block in backend.read(digest):
            file.write(block)
    return path


def _stage(path: Path, copy: Path) -> Staged:
    """A copy that nobody else can write to, with the digest of just that."""
    if WHEEL.fullmatch(path.name) is None:
        raise Invalid("wheel_invalid", field="requirements", file=path.name[:100])
    running, size_bytes = hashlib.sha256(), 0
    with _open_plain(path) as source, copy.open("xb") as target:
        while block := source.read(BLOCK_BYTES):
            running.update(block)
            target.write(block)
            size_bytes += len(block)
    return Staged(running.hexdigest(), size_bytes, str(copy))


def _open_plain(path: Path) -> BinaryIO:
    """The file itself: no link to somewhere else, no pipe that would keep us waiting."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise Invalid("wheel_invalid", field="requirements", file=path.name[:100]) from None
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise Invalid("wheel_invalid", field="requirements", file=path.name[:100])
    return file
