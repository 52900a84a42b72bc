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
LITTLE_BYTES = 2 * 2**20
ROUNDS = 8
"""As often as it is tried to catch up with the writers before they are made to wait."""
AGAIN_AFTER_S = 2.0
"""When a reader still needs what is in the log."""
FRAME_BYTES = 4096 + 24


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

    def turn(self) -> None:
        """Looks how long the log is, and shortens it."""
        if self._log_bytes() < BEGIN_BYTES or self._closed.is_set():
            return
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=FULL")
            for _ in range(ROUNDS):
                progress = _bring_in(connection)
                if self._log_bytes() - progress.done * FRAME_BYTES <= LITTLE_BYTES:
                    break
            with self._db.nobody_writing():
                progress = _bring_in(connection)
        if progress.done < progress.pages:
            self._closed.wait(AGAIN_AFTER_S)

    def close(self) -> None:
        self._closed.set()

    def _log_bytes(self) -> int:
        with suppress(FileNotFoundError):
            return self._log.stat().st_size
        return 0


def _bring_in(connection: sqlite3.Connection) -> Progress:
    _, pages, done = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return Progress(pages, done)
