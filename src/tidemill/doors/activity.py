"""Who is inside which workload right now: open connections, terminals, SSH."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from tidemill.kernel.clock import Clock


class Activity:
    """Counts what is open, workload by workload, and remembers when the last one left. Used from many threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: Counter[str] = Counter()
        self._left_at: dict[str, datetime] = {}
        self._lock = threading.Lock()

    @contextmanager
    def inside(self, workload_id: str) -> Iterator[None]:
        """Somebody is inside for the block."""
        with self._lock:
            self._open[workload_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[workload_id] -= 1
                self._left_at[workload_id] = self._clock()
                if self._open[workload_id] <= 0:
                    del self._open[workload_id]

    def open_now(self, workload_id: str) -> int:
        with self._lock:
            return self._open[workload_id]

    def last_left_at(self, workload_id: str) -> datetime | None:
        with self._lock:
            return self._left_at.get(workload_id)

    def forget(self, keep: set[str]) -> None:
        """Drops what is remembered of all workloads but these."""
        with self._lock:
            self._left_at = {workload: at for workload, at in self._left_at.items() if workload in keep}
