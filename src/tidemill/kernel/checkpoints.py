"""SQLite's log of changes is brought into the database beside those who write, so that none of them waits for it.

By itself SQLite lets the writer do it whose commit was one too many, and everybody else waits behind that one. Here a
loop does it: as long as writers go on, what they add meanwhile is brought in again, until it is little; that little is
brought in while nobody writes, and the log begins anew with the next write.
"""

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from tidemill.kernel.db import Database

LOOK_EVERY_S = 0.2
BEGIN_BYTES = 16 * 2**20
"""How long the log gets before anything is done."""
LITTLE_PAGES = 500
ROUNDS = 8
"""As often as it is tried to catch up with the writers before they are made to wait."""
AGAIN_AFTER_S = 2.0
"""When a reader still needs what is in the log."""


class Progress(NamedTuple):
    """How many pages are in the log, and how many of them are in the database, too."""

    pages: int
    done: int


class Checkpoints:
    """For a database that is SQLite's; `turn` is called by a loop."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._path = Path(db.url.database or "")
        self._log = self._path.with_name(f"{self._path.name}-wal")
        self._closed = threading.Event()
        self._left = 0
        """When the log was last written to before it was left with nothing to bring in."""

    def turn(self) -> None:
        """Looks how long the log is, and shortens it."""
        size_bytes, changed = self._look()
        if size_bytes < BEGIN_BYTES or changed == self._left or self._closed.is_set():
            return
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=FULL")
            done = 0
            for _ in range(ROUNDS):
                before, done = done, _bring_in(connection).done
                if abs(done - before) <= LITTLE_PAGES:
                    break
            with self._db.nobody_writing():
                progress = _bring_in(connection)
                self._left = self._look()[1]
        if progress.done < progress.pages:
            self._left = 0
            self._closed.wait(AGAIN_AFTER_S)

    def close(self) -> None:
        self._closed.set()

    def _look(self) -> tuple[int, int]:
        """How long the log is, and when it was last written to."""
        with suppress(FileNotFoundError):
            found = self._log.stat()
            return found.st_size, found.st_mtime_ns
        return 0, 0


def _bring_in(connection: sqlite3.Connection) -> Progress:
    _, pages, done = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return Progress(pages, done)
