"""Why each one waits, as the last round of admission found: kept in memory, for it is found anew every second.

One board a process and not one an application, because rooms above show workloads with nothing but a session in hand;
ids of workloads are unique, so boards of several applications do not meet.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from tidemill.workloads.planning import Why


@dataclass(frozen=True, slots=True)
class Posted:
    """Why, and the place in the line."""

    why: Why
    place: int
    of: int


class Board:
    """Written by the conductor, read by anybody."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._posted: dict[str, Posted] = {}
        self._by_writer: dict[int, set[str]] = {}

    def post(self, why: Mapping[str, Why], *, writer: int) -> None:
        """Replaces what the same writer posted before; the mapping is in the order of the line."""
        posted = {key: Posted(value, place, len(why)) for place, (key, value) in enumerate(why.items(), start=1)}
        with self._lock:
            for key in self._by_writer.get(writer, ()):
                self._posted.pop(key, None)
            self._posted.update(posted)
            self._by_writer[writer] = set(posted)

    def find(self, workload_id: str) -> Posted | None:
        return self._posted.get(workload_id)


board = Board()
