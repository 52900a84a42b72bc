"""Starting runners, and taking leave of those that ended while we were there."""

import os
import sys
import threading
import time
from pathlib import Path

from tidemill.engines import runner

AGAIN_AFTER_S = 5.0
"""A runner takes its lock within milliseconds; when none has by then, another is started. It gives way if one has."""


class Runners:
    """Starts runners as processes of their own session, which outlive us."""

    def __init__(self) -> None:
        self._program = str(Path(runner.__file__).parent / "__main__.py")
        self._lock = threading.Lock()
        self._pids: set[int] = set()
        self._asked: dict[Path, float] = {}

    def start(self, node: Path) -> None:
        """Starts the runner of a node's folder, unless one was started just now."""
        with self._lock:
            now = time.monotonic()
            if now - self._asked.get(node, -AGAIN_AFTER_S) < AGAIN_AFTER_S:
                return
            self._asked[node] = now
            self._pids.add(self._spawn(node))

    def reap(self) -> None:
        """Takes leave of the ended."""
        with self._lock:
            self._pids = {pid for pid in self._pids if not _has_ended(pid)}
            recently = time.monotonic() - AGAIN_AFTER_S
            self._asked = {node: at for node, at in self._asked.items() if at > recently}

    def _spawn(self, node: Path) -> int:
        argv = [sys.executable, "-I", "-S", self._program, str(node)]
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        errors = os.open(node / "runner.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, errors, 2)]
        try:
            # Nothing of our own surroundings: they may hold the platform's secrets.
            return os.posix_spawn(sys.executable, argv, _surroundings(), file_actions=actions, setsid=True)
        finally:
            os.close(null)
            os.close(errors)


def _surroundings() -> dict[str, str]:
    names = ("PATH", "LANG", "LD_LIBRARY_PATH", "DOCKER_HOST", "XDG_RUNTIME_DIR")
    return {name: os.environ[name] for name in names if name in os.environ}


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
