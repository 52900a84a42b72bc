"""What the suite works with: an engine on a bench, and short ways to ask of it."""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from tidemill.engines.base import (
    Engine,
    EngineError,
    Image,
    Launch,
    Material,
    MaterialFile,
    NodePlan,
    Runtime,
    Seen,
    Shell,
)

PATIENCE_S = 60.0
T = TypeVar("T")


@dataclass
class Bench:
    """An engine under test, and short ways to ask of it."""

    engine: Engine
    machine: str
    image: Image
    runtime: Runtime
    changed: threading.Event = field(default_factory=threading.Event)
    started: list[str] = field(default_factory=list)

    def plan(self, nodes: int = 1, **options: Any) -> tuple[NodePlan, ...]:
        """Nodes of one processor and 256 MiB, unless told otherwise."""
        one = NodePlan(0, self.machine, 1.0, 256 * 1024 * 1024)
        return tuple(replace(one, index=index, **options) for index in range(nodes))

    def describe(self, script: str, **options: Any) -> Launch:
        """A launch of a shell script."""
        id = f"lau-{secrets.token_hex(8)}"
        chosen: dict[str, Any] = {"workspace": id, "nodes": self.plan(), "command": ("sh", "-c", script)} | options
        return Launch(id=id, image=self.image, runtime=self.runtime, **chosen)

    def launch(self, script: str, **options: Any) -> str:
        """Launches a shell script."""
        launch = self.describe(script, **options)
        self.started.append(launch.id)
        self.engine.launch(launch)
        return launch.id

    def run(self, script: str, **options: Any) -> tuple[Seen, str]:
        """Launches a script and waits for its end: how it ended, and what it wrote."""
        id = self.launch(script, **options)
        return self.wait(id, "ended"), self.output(id)

    def wait(self, id: str, *states: str) -> Seen:
        """Until the launch is in one of these states."""
        return self.until(lambda: self.engine.seen([id])[id], lambda seen: seen.state in states)

    def until(self, look: Callable[[], T], is_right: Callable[[T], bool]) -> T:
        """Looks until it is right."""
        deadline = time.monotonic() + PATIENCE_S
        while not is_right(found := look()):
            assert time.monotonic() < deadline, f"it stayed {found!r}"
            self.changed.wait(0.02)
            self.changed.clear()
        return found

    def output(self, id: str, node: int = 0) -> str:
        """All that is kept of what a node wrote."""
        return self.engine.logs(id, node, offset=0, limit=1 << 30).data.decode(errors="replace")

    def says(self, id: str, text: str, node: int = 0) -> None:
        """Until a node has written this."""
        self.until(lambda: self.output(id, node), lambda output: text in output)

    def clean(self) -> None:
        """Ends what a test has left running."""
        for id in self.started:
            with suppress(EngineError):
                self.engine.stop(id, grace_s=0)
        for id in self.started:
            self.wait(id, "ended", "absent")


def material_of(put: Callable[[bytes], str], files: dict[str, bytes], key: str = "tides") -> Material:
    """A material of these files."""
    rows = [MaterialFile(path, put(data), len(data)) for path, data in files.items()]
    return Material(key, lambda: rows)


def read_all(handle: int) -> bytes:
    """Everything until the end."""
    pieces = []
    while piece := os.read(handle, 65536):
        pieces.append(piece)
    return b"".join(pieces)


def read_until(shell: Shell, wanted: bytes) -> bytes:
    """What a terminal shows until it has shown this."""
    shown = b""
    while wanted not in shown:
        shown += os.read(shell.stdout, 65536)
    return shown


def free_port() -> int:
    """A port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
