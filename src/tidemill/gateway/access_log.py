"""A line for each call, for those who want one. No credentials, no query, no bodies."""

from pathlib import Path
from typing import IO, Any

import orjson

from tidemill.kernel.clock import utc_now

LARGEST_BYTES = 64 << 20


class AccessLog:
    """JSON lines in a file, written a few times a second; one older file is kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] = path.open("ab")
        self._lines: list[bytes] = []

    def write(self, **what: Any) -> None:
        self._lines.append(orjson.dumps({"at": utc_now(), **what}) + b"\n")

    def flush(self) -> None:
        if not self._lines:
            return
        self._file.write(b"".join(self._lines))
        self._file.flush()
        self._lines.clear()
        if self._file.tell() > LARGEST_BYTES:
            self._file.close()
            self._path.replace(self._path.with_suffix(".log.1"))
            self._file = self._path.open("ab")

    def close(self) -> None:
        self.flush()
        self._file.close()
