"""Starting runners."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tidemill.engines import runner

AGAIN_AFTER_S = 5.0
"""A runner takes its lock within milliseconds; when none has by then, another is started. It gives way if one has."""
LEAVES_WITHIN_S = 2.0


class Runners:
    """Starts runners as processes of their own session, which outlive us. They are forked by a nursery of ours."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nursery: Nursery | None = None
        self._asked: dict[Path, float] = {}

    def start(self, node: Path) -> None:
        """Starts the runner of a node's folder, unless one was started just now."""
        with self._lock:
            now = time.monotonic()
            self._asked = {asked: at for asked, at in self._asked.items() if at > now - AGAIN_AFTER_S}
            if node not in self._asked:
                self._asked[node] = now
                self._ask(node)

    def close(self) -> None:
        """Ends the nursery. What runs goes on running."""
        with self._lock:
            if self._nursery is not None:
                self._nursery.close()
                self._nursery = None

    def _ask(self, node: Path) -> None:
        if self._nursery is None:
            self._nursery = Nursery()
        try:
            self._nursery.ask(node)
        except BrokenPipeError:
            # Somebody killed it. Runners that it did not get to are asked for again: nobody holds their locks.
            self._nursery.close()
            self._nursery = Nursery()
            self._nursery.ask(node)


class Nursery:
    """The process that forks runners, and the pipe on which it is told of nodes; it ends when the pipe is closed."""

    def __init__(self) -> None:
        program = Path(runner.__file__).parent / "__main__.py"
        argv = [sys.executable, "-I", "-S", str(program), "nursery"]
        reading, self._asking = os.pipe2(os.O_CLOEXEC)
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        actions = [(os.POSIX_SPAWN_DUP2, reading, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
        try:
            # Nothing of our own surroundings: they may hold the platform's secrets.
            self._pid = os.posix_spawn(sys.executable, argv, _surroundings(), file_actions=actions, setsid=True)
        finally:
            os.close(reading)
            os.close(null)

    def ask(self, node: Path) -> None:
        words = os.fsencode(node) + b"\0"
        while words:
            words = words[os.write(self._asking, words) :]

    def close(self) -> None:
        """It forks what it was told to before, and ends."""
        os.close(self._asking)
        deadline = time.monotonic() + LEAVES_WITHIN_S
        with suppress(ChildProcessError):
            while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                if time.monotonic() > deadline:
                    # A fork of ours may hold the pipe open.
                    os.kill(self._pid, signal.SIGKILL)
                time.sleep(0.005)


def _surroundings() -> dict[str, str]:
    names = ("PATH", "LANG", "LD_LIBRARY_PATH", "DOCKER_HOST", "XDG_RUNTIME_DIR")
    return {name: os.environ[name] for name in names if name in os.environ}
