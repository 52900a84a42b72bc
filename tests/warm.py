"""A process that has loaded the product, and of which servers are made: loading it is most of a server's start.

What comes out is a process of its own that does what `python -m tidemill` does with its arguments; that this command
itself works is tried in `tests/server/test_up.py`.
"""

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


class Warm:
    """A process made of the loaded one; speaks as `subprocess.Popen` does, as far as tests need it."""

    def __init__(self, arguments: list[str], *, environment: dict[str, str], output: Path) -> None:
        ask = {"arguments": arguments, "environment": environment, "output": str(output)}
        self.pid: int = _loaded().ask(ask)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = _loaded().ask({"ended": self.pid})
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        until = time.monotonic() + (timeout if timeout is not None else 600)
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 600)
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


class _Loaded:
    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self._end)

    def ask(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._turn:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def _end(self) -> None:
        self._process.communicate()


@cache
def _loaded() -> _Loaded:
    return _Loaded()


def _answer() -> None:
    """Until nobody asks any more."""
    gc.disable()
    import tidemill.server.serving  # noqa: F401 — with all it needs
    from tidemill.cli.main import main

    gc.freeze()
    for line in sys.stdin:
        question = json.loads(line)
        if "ended" in question:
            pid, status = os.waitpid(question["ended"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            answer = os.fork()
            if answer == 0:
                _become(question)
                main()
                sys.exit()
        print(json.dumps(answer), flush=True)


def _become(question: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(question["environment"])
    sys.argv = ["tidemill", *question["arguments"]]
    output = os.open(question["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for stream, file in ((0, nothing), (1, output), (2, output)):
        os.dup2(file, stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    _answer()
