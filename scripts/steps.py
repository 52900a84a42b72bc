"""What every step of the set-up shares: where things are, stamps, running a command, failing in one line."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMPS = ROOT / ".setup"


class SetupFailed(Exception):
    """The message says what to do."""


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two set-ups of one checkout wait for each other."""
    STAMPS.mkdir(exist_ok=True)
    with (STAMPS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Stamp:
    """Remembers what a step was made from."""

    def __init__(self, name: str, files: Iterable[Path], *extra: str) -> None:
        self._file = STAMPS / name
        digest = hashlib.sha256()
        for file in sorted(files):
            digest.update(f"{file.relative_to(ROOT)}\0{file.stat().st_mode & 0o111}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        for text in extra:
            digest.update(f"{text}\0".encode())
        self._digest = digest.hexdigest()

    def is_fresh(self) -> bool:
        return self._file.is_file() and self._file.read_text() == self._digest

    def set(self) -> None:
        """Only after the step has ended well; renamed into place so that a half-written stamp is never read."""
        draft = self._file.with_suffix(".new")
        draft.write_text(self._digest)
        draft.replace(self._file)

    def clear(self) -> None:
        self._file.unlink(missing_ok=True)


def say(what: str) -> None:
    print(f"setup: {what}", file=sys.stderr, flush=True)


def run(command: list[str], *, cwd: Path = ROOT, environ: Mapping[str, str] | None = None, remedy: str) -> None:
    """Runs the command with its output visible; when it fails, the remedy is the last line."""
    what = " ".join([Path(command[0]).name, *command[1:3]])
    try:
        code = subprocess.run(command, cwd=cwd, env=dict(environ or os.environ), check=False).returncode
    except OSError as error:
        raise SetupFailed(f"“{what} …” cannot be run: {error}") from None
    if code != 0:
        raise SetupFailed(f"“{what} …” failed (exit code {code}). {remedy}")
