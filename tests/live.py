"""A real Tidemill in its own process, on loopback ports of its own, for tests that need the whole of it."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.warm import Warm
from tidemill.gateway.control import Control

ADMIN_PASSWORD = "correct-horse-battery"
START_LIMIT_S = 180
DOORS = (0, 1, 22, 80, 81)
"""The ports that are opened, counted from the first."""


@dataclass
class LiveServer:
    """A server that can be killed and started again on the same home and port."""

    home: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: Warm | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.home.parent / f"{self.home.name}.log"

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        environment = {
            **os.environ,
            "TIDEMILL_ADMIN_PASSWORD": ADMIN_PASSWORD,
            "TIDEMILL_ARGON2_TIME_COST": "1",
            "TIDEMILL_ARGON2_MEMORY_KIB": "64",
            **self.environment,
        }
        arguments = ["up", "--home", str(self.home), "--port", str(self.port)]
        self.process = Warm(arguments, environment=environment, output=self.log)
        self._wait()

    def kill(self) -> None:
        """Ends it without warning, as a crash would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Ends it and its gateway, without warning; what it launched goes on."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
        gateway = Control(self.home / "gateway").state()
        if gateway is not None:
            os.kill(gateway.pid, signal.SIGKILL)

    def reset(self) -> int:
        """Ends it, its gateway, its runners and all that runs for them, without warning; how many runners."""
        self.end()
        runners = 0
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid() and _belongs(entry, str(self.home)):
                with suppress(OSError):  # it may end by itself meanwhile
                    runners += b"runner" in (entry / "cmdline").read_bytes()
                    os.kill(int(entry.name), signal.SIGKILL)
        return runners

    def stop(self) -> int:
        """Asks it to end; the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def _wait(self) -> None:
        assert self.process is not None
        deadline = time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended:\n{self.log.read_text()[-3000:]}")
            try:
                if httpx2.get(f"{self.url}/healthz", timeout=2).status_code == 200:
                    return
            except httpx2.TransportError:
                time.sleep(0.05)
        raise RuntimeError(f"the server did not start:\n{self.log.read_text()[-3000:]}")


@contextmanager
def live_server(home: Path, **environment: str) -> Iterator[LiveServer]:
    """Runs a server for the block."""
    server = LiveServer(home, free_ports(), environment)
    server.start()
    try:
        yield server
    finally:
        server.end()


def _belongs(process: Path, home: str) -> bool:
    """A runner is at home in its node's folder, whatever its command line says: it was forked."""
    try:
        told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        return home.encode() in told or os.readlink(process / "cwd").startswith(home)
    except OSError:
        return False


def free_ports() -> int:
    """The first of a row of free ports."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first: int = probe.getsockname()[1]
        if first < 65000 and all(_is_free(first + door) for door in DOORS):
            return first


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
