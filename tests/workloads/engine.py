"""An engine in memory, whose launches do what the test says: for tests of what is above engines."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidemill.engines.base import (
    EngineError,
    Launch,
    LogMark,
    LogPiece,
    Machine,
    Material,
    NodeSeen,
    Runtime,
    Seen,
    Shell,
    Snapshot,
    Usage,
)

GIB = 2**30


@dataclass
class _Known:
    launch: Launch
    seen: Seen
    log: bytes = b""
    marks: list[LogMark] = field(default_factory=list)
    stops: int = 0


class MemoryEngine:
    """Launches run until the test ends them with `end`. `launched` lists every launch that really began."""

    name = "memory"

    def __init__(self, folder: Path, machines: Sequence[Machine] | None = None) -> None:
        self.folder = folder
        self.given = list(machines or [Machine("one", 4.0, 8 * GIB, runtimes=(Runtime.PROCESS,))])
        self.launched: list[Launch] = []
        self.known: dict[str, _Known] = {}
        self.prepared: dict[str, dict[str, str]] = {}
        self.refuses: str | None = None
        self.at_launch: Callable[[Launch], None] = lambda _launch: None
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def end(self, id: str, reason: str = "finished", exit_code: int | None = 0, message: str = "") -> None:
        """The launch ends."""
        known = self.known[id]
        nodes = tuple(NodeSeen(n.index, n.host_name, n.address, "ended", exit_code) for n in known.seen.nodes)
        now = datetime.now(UTC)
        known.seen = Seen("ended", reason, exit_code, message, known.seen.started_at, now, nodes)  # type: ignore[arg-type]
        self._tell()

    def write(self, id: str, data: bytes, at: datetime | None = None) -> None:
        known = self.known[id]
        known.log += data
        known.marks.append(LogMark(at or datetime.now(UTC), len(known.log)))

    def is_told_to_stop(self, id: str) -> bool:
        return self.known[id].stops > 0

    def machines(self) -> Sequence[Machine]:
        return self.given

    def prepare(self, material: Material, on_progress: Callable[[int], None] | None = None) -> None:
        del on_progress
        if material.key not in self.prepared:
            self.prepared[material.key] = {file.path: file.digest for file in material.files()}

    def drop_materials(self, keep: Iterable[str]) -> None:
        kept = set(keep)
        self.prepared = {key: files for key, files in self.prepared.items() if key in kept}

    def launch(self, launch: Launch) -> None:
        if self.refuses:
            raise EngineError(self.refuses)
        self.at_launch(launch)
        with self._lock:
            if launch.id in self.known:
                return
            nodes = tuple(NodeSeen(n.index, f"node-{n.index}", "127.0.0.1", "running") for n in launch.nodes)
            seen = Seen("running", started_at=datetime.now(UTC), nodes=nodes)
            self.known[launch.id] = _Known(launch, seen)
            self.launched.append(launch)
        self._tell()

    def seen(self, ids: Iterable[str]) -> dict[str, Seen]:
        return {id: self.known[id].seen if id in self.known else Seen("absent") for id in ids}

    def launches(self) -> Iterator[str]:
        return iter(list(self.known))

    def on_change(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    def stop(self, id: str, *, grace_s: float | None = None) -> None:
        del grace_s
        self.known[id].stops += 1

    def forget(self, id: str) -> None:
        del self.known[id]

    def logs(self, id: str, node: int, *, offset: int, limit: int) -> LogPiece:
        del node
        if id not in self.known:
            raise EngineError("unknown")
        log = self.known[id].log
        start = max(0, len(log) + offset) if offset < 0 else min(offset, len(log))
        data = log[start : start + limit]
        is_over = self.known[id].seen.state == "ended"
        return LogPiece(data, start, start + len(data), len(log), is_over)

    def log_marks(self, id: str, node: int) -> Sequence[LogMark]:
        del node
        return self.known[id].marks

    def usage(self, id: str, node: int, *, since: datetime | None, points: int) -> Sequence[Usage]:
        del id, node, since, points
        return [Usage(datetime.now(UTC), 0.5, 1024)]

    def address(self, id: str, node: int, port: int) -> tuple[str, int]:
        raise EngineError(f"{id} {node} {port}: not here")

    def exec(
        self,
        id: str,
        node: int,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        terminal: tuple[int, int] | None,
    ) -> Shell:
        raise EngineError(f"{id} {node} {argv} {environment} {terminal}: not here")

    def snapshot(self, id: str, node: int) -> Snapshot:
        raise EngineError(f"{id} {node}: not here")

    def workspace(self, key: str) -> Path:
        place = self.folder / key
        place.mkdir(parents=True, exist_ok=True)
        return place

    def remove_workspace(self, key: str) -> None:
        place = self.folder / key
        if place.exists():
            for file in sorted(place.rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()
            place.rmdir()

    def close(self) -> None:
        """Nothing listens."""

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()


def machine(name: str = "one", cpus: float = 4.0, gib: int = 8, **more: Any) -> Machine:
    return Machine(name, cpus, gib * GIB, runtimes=(Runtime.PROCESS,), **more)
