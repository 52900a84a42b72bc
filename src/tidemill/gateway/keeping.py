"""Keeping the gateway's process: started when needed, found again, replaced when the program changed, ended."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidemill import __version__
from tidemill.gateway.control import Control
from tidemill.gateway.process import RECORD
from tidemill.gateway.processes import start_of
from tidemill.gateway.schemas import GatewayState
from tidemill.kernel.settings import Settings

STARTS_WITHIN_S = 30.0
ENDS_WITHIN_S = 90.0
_LOG = "gateway.log"
_LOG_BYTES = 16 << 20
_PASSED = (
    "home", "host", "port", "database_url", "trusted_proxies", "gateway_host", "gateway_access_log",
    "gateway_data_plane",
)  # fmt: skip

_children: list["subprocess.Popen[bytes]"] = []
"""Gateways that this process started: they outlive whoever started them, and are ours to bury while we live."""


class GatewayFailed(Exception):
    """The gateway could not be started; it says why."""


class Keeper:
    """Keeps one gateway for a home. It is a process of its own session, and outlives us. Thread-safe."""

    def __init__(self, settings: Settings, *, program: str = __version__) -> None:
        self._settings = settings
        self._program = program
        self._lock = threading.Lock()
        self.folder: Path = settings.home / "gateway"
        self.control = Control(self.folder)

    def ensure(self) -> GatewayState:
        """The gateway that runs; started where none does, and replaced, without dropping a request, where it is of
        another program version. Raises `GatewayFailed` when it cannot be started. Blocks until it serves."""
        with self._alone():
            state = self.control.state()
            if state is not None and self._is_right(state):
                return state
            if state is None:
                self._end_silent()
            return self._start(unlike=None if state is None else state.epoch)

    def end(self) -> None:
        """Ends the gateway after what it has begun; nothing where none runs."""
        with self._alone():
            pid = self._running()
            if pid is None:
                return
            if not self.control.drain():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            self._wait_for_end(pid, ENDS_WITHIN_S)

    def _is_right(self, state: GatewayState) -> bool:
        is_ours = state.program == self._program and state.http_port == self._settings.gateway_port
        return is_ours and state.plane_setting == self._settings.gateway_data_plane and not state.is_draining

    def _start(self, *, unlike: str | None) -> GatewayState:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = self.folder / _LOG
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
        with log.open("ab") as output:
            written = output.tell()
            process = subprocess.Popen(
                [sys.executable, "-m", "tidemill.gateway", "--settings", "-"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd="/",
                env=_surroundings(),
                start_new_session=True,
            )
        _children.append(process)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(json.dumps(self._passed()).encode())
        return self._wait_for_start(process, unlike, written)

    def _wait_for_start(self, process: "subprocess.Popen[bytes]", unlike: str | None, written: int) -> GatewayState:
        deadline = time.monotonic() + STARTS_WITHIN_S
        while time.monotonic() < deadline:
            state = self.control.state()
            if state is not None and state.epoch != unlike and not state.is_draining:
                return state
            if process.poll() is not None:
                with (self.folder / _LOG).open("rb") as file:
                    file.seek(written)
                    raise GatewayFailed(file.read()[-2000:].decode("utf-8", "replace").strip())
            time.sleep(0.02)
        process.kill()
        process.wait()
        raise GatewayFailed(f"the gateway did not serve within {STARTS_WITHIN_S:g} s")

    def _passed(self) -> dict[str, Any]:
        settings = self._settings.model_dump(include=set(_PASSED), mode="json")
        return {name: value for name, value in settings.items() if value is not None}

    def _running(self) -> int | None:
        """The process that serves, by its record; one that has only its number is another."""
        self._reap()
        try:
            record = json.loads((self.folder / RECORD).read_text("utf-8"))
            pid, began = int(record["pid"]), record["began"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return pid if began is not None and start_of(pid) == began else None

    def _end_silent(self) -> None:
        """A gateway that runs but does not answer holds the ports: it is ended, since nobody gets an answer from it."""
        pid = self._running()
        if pid is None:
            return
        # Busy is not silent: it gets one more chance.
        time.sleep(0.5)
        if self.control.state() is None and self._running() == pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self._wait_for_end(pid, 5.0)

    def _wait_for_end(self, pid: int, within_s: float) -> None:
        began = start_of(pid)
        deadline = time.monotonic() + within_s
        while self._is_there(pid, began):
            if time.monotonic() > deadline:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                deadline += 5.0
            time.sleep(0.01)

    def _is_there(self, pid: int, began: int | None) -> bool:
        self._reap()
        return began is not None and start_of(pid) == began

    @staticmethod
    def _reap() -> None:
        """Forgets gateways of ours that ended."""
        _children[:] = [process for process in _children if process.poll() is None]

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One keeper at a time, in this process and among processes."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock, (self.folder / "keeper.lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _surroundings() -> dict[str, str]:
    """What of our environment the gateway needs; its settings come by another way."""
    names = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "PGPASSFILE", "HOME")
    return {name: os.environ[name] for name in names if name in os.environ}
