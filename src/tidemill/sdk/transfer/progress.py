"""How far a transfer is, told to whoever watches."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

TOLD_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a transfer. Stages of a push: scan, hash, send, attach; of a pull: compare, fetch."""

    stage: str
    files: int = 0
    total_files: int = 0
    size_bytes: int = 0
    total_bytes: int = 0


Watch = Callable[[Progress], None]


class Meter:
    """Counts from several threads; tells the watcher at most ten times a second, and at both ends of a stage."""

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch
        self._lock = threading.Lock()
        self._now = Progress("")
        self._told_at = 0.0

    def begin(self, stage: str, *, total_files: int = 0, total_bytes: int = 0) -> None:
        with self._lock:
            self._now = Progress(stage, total_files=total_files, total_bytes=total_bytes)
            self._tell()

    def add(self, *, files: int = 0, size_bytes: int = 0) -> None:
        with self._lock:
            now = self._now
            self._now = replace(now, files=now.files + files, size_bytes=max(0, now.size_bytes + size_bytes))
            if time.monotonic() - self._told_at >= TOLD_EVERY_S or self._is_end():
                self._tell()

    def _is_end(self) -> bool:
        return self._now.files >= self._now.total_files

    def _tell(self) -> None:
        self._told_at = time.monotonic()
        if self._watch:
            self._watch(self._now)
