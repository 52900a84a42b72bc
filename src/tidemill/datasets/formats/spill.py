"""Rows put aside on disk and taken back by key: what belongs together lies scattered in a large file."""

import mmap
import tempfile
from array import array
from collections.abc import Hashable, Iterable
from typing import Any

import orjson


class Spill:
    """Memory grows by a few bytes a row; the rows are in a temporary file. First all are added, then they are taken."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=1 << 20)  # noqa: SIM115 — closed with this
        self._ends = array("Q", [0])
        self._previous = array("q")
        self._last: dict[Hashable, int] = {}
        self._map: mmap.mmap | None = None

    def add(self, rows: Iterable[tuple[Hashable, Any]]) -> None:
        """Puts rows aside under their keys."""
        dumps, last, append_end, append_previous = orjson.dumps, self._last, self._ends.append, self._previous.append
        number, end = len(self._previous), self._ends[-1]
        written = []
        for key, row in rows:
            data = dumps(row)
            written.append(data)
            append_previous(last.get(key, -1))
            last[key] = number
            number += 1
            end += len(data)
            append_end(end)
        self._file.write(b"".join(written))

    def take(self, key: Hashable) -> list[Any]:
        """The rows of a key in the order they came; they are then no longer there."""
        rows: list[Any] = []
        place = self._last.pop(key, -1)
        if place < 0:
            return rows
        data, ends, previous, loads = self._bytes(), self._ends, self._previous, orjson.loads
        while place >= 0:
            rows.append(loads(data[ends[place] : ends[place + 1]]))
            place = previous[place]
        rows.reverse()
        return rows

    def left(self) -> int:
        """How many keys nobody took."""
        return len(self._last)

    def close(self) -> None:
        if self._map is not None:
            self._map.close()
        self._file.close()

    def _bytes(self) -> mmap.mmap:
        if self._map is None:
            self._file.flush()
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return self._map
