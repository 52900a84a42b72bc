"""SHA-256 of local files, remembered between runs.

A digest is remembered with the file's size, modification time and inode, and used again only while all three are the
same. A file touched a moment ago is not remembered: it could change again within the clock's resolution, unseen.
The memory is a convenience: when it cannot be read or written the files are simply hashed.
"""

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

from tidemill.kernel.errors import Conflict, Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.transfer.progress import Meter
from tidemill.sdk.transfer.scan import LocalFile

BLOCK_BYTES = 1024 * 1024
SETTLED_NS = 1_000_000_000
SAVED_EVERY_S = 2.0
GROUP_FILES = 100
GROUP_BYTES = 16 * 1024 * 1024
EMPTY = hashlib.sha256().hexdigest()


def cache_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Where digests are remembered."""
    base = environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tidemill" / "digests.db"


class DigestCache:
    """Digests by absolute path. Used by one thread at a time; several processes may share the file."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or cache_file()
        self._db = self._open()
        self._fresh: list[tuple[bytes, int, int, int, str]] = []
        self._saved_at = time.monotonic()

    def known(self, files: Iterable[LocalFile], root: Path) -> dict[str, str]:
        """Remembered digests of those files that still look the same, by their path in the store."""
        rows = self._rows(root)
        found = {}
        for file in files:
            row = rows.get(os.fsencode(file.place))
            if row is not None and row[:3] == (file.size_bytes, file.mtime_ns, file.inode):
                found[file.path] = row[3]
        return found

    def remember(self, file: LocalFile, digest: str) -> None:
        if time.time_ns() - file.mtime_ns > SETTLED_NS:
            self._fresh.append((os.fsencode(file.place), file.size_bytes, file.mtime_ns, file.inode, digest))
        if time.monotonic() - self._saved_at > SAVED_EVERY_S:
            self.save()

    def save(self) -> None:
        """Writes what is new, so that a killed program does not hash it all again."""
        self._saved_at = time.monotonic()
        if self._db is None or not self._fresh:
            return
        with suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR REPLACE INTO digests VALUES (?, ?, ?, ?, ?)", self._fresh)
        self._fresh.clear()

    def close(self) -> None:
        self.save()
        if self._db is not None:
            self._db.close()

    def _rows(self, root: Path) -> dict[bytes, tuple[int, int, int, str]]:
        if self._db is None:
            return {}
        # Everything below the folder, and its own path when it is a file. Paths are bytes, as the system's are.
        first = os.fsencode(root)
        asked = "SELECT path, size, mtime_ns, inode, sha256 FROM digests WHERE path BETWEEN ? AND ?"
        try:
            rows = self._db.execute(asked, (first, first + os.sep.encode() + b"\xff")).fetchall()
        except sqlite3.Error:
            return {}
        return {path: (size, mtime_ns, inode, digest) for path, size, mtime_ns, inode, digest in rows}

    def _open(self) -> sqlite3.Connection | None:
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._prepare()
        except (sqlite3.DatabaseError, OSError):
            # A damaged memory is thrown away once; where there can be none we go without.
            with suppress(OSError):
                self._file.unlink()
        try:
            return self._prepare()
        except (sqlite3.Error, OSError):
            return None

    def _prepare(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._file, timeout=2.0, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            db.execute(
                "CREATE TABLE IF NOT EXISTS digests (path BLOB PRIMARY KEY, size INTEGER, mtime_ns INTEGER,"
                " inode INTEGER, sha256 TEXT) WITHOUT ROWID"
            )
        except sqlite3.Error:
            db.close()
            raise
        return db


def digest_files(files: Iterable[LocalFile], cache: DigestCache, root: Path, meter: Meter) -> dict[str, str]:
    """The digest of each file, by its path in the store; hashed in a few threads, remembered ones not again."""
    files = list(files)
    digests = cache.known(files, root)
    meter.begin("hash", total_files=len(files), total_bytes=sum(file.size_bytes for file in files))
    for file in files:
        if file.path in digests:
            meter.add(files=1, size_bytes=file.size_bytes)
    todo = [file for file in files if file.path not in digests]
    for file, digest in _hash_all(todo, meter):
        digests[file.path] = digest
        cache.remember(file, digest)
    cache.save()
    return digests


def digest_file(file: LocalFile, meter: Meter, stop: threading.Event | None = None) -> str:
    """One file's digest; raises when it is not the file that was found, or changes while it is read."""
    hasher = hashlib.sha256()
    try:
        with open(file.place, "rb", buffering=0) as stream:
            while block := stream.read(BLOCK_BYTES):
                hasher.update(block)
                meter.add(size_bytes=len(block))
                if stop is not None and stop.is_set():
                    break
            now = os.fstat(stream.fileno())
    except OSError as error:
        raise problem(Invalid, "sdk_source_unreadable", path=file.place, cause=error.strerror) from error
    if (now.st_size, now.st_mtime_ns) != (file.size_bytes, file.mtime_ns):
        raise problem(Conflict, "sdk_source_changed", path=file.place)
    return hasher.hexdigest()


def _hash_all(files: list[LocalFile], meter: Meter) -> Iterator[tuple[LocalFile, str]]:
    stop = threading.Event()
    waiting = _groups(files)
    running: set[Future[list[tuple[LocalFile, str]]]] = set()
    workers = min(8, os.cpu_count() or 2)

    def work(group: list[LocalFile]) -> list[tuple[LocalFile, str]]:
        return [(file, digest_file(file, meter, stop)) for file in group if not stop.is_set()]

    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="hash") as pool:
        try:
            while True:
                while len(running) < 2 * workers and (group := next(waiting, None)) is not None:
                    running.add(pool.submit(work, group))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    found = future.result()
                    yield from found
                    meter.add(files=len(found))
        finally:
            stop.set()
            for future in running:
                future.cancel()


def _groups(files: Iterable[LocalFile]) -> Iterator[list[LocalFile]]:
    """Small files go to a thread many at a time: handing over costs more than hashing one."""
    group: list[LocalFile] = []
    size_bytes = 0
    for file in files:
        group.append(file)
        size_bytes += file.size_bytes
        if len(group) >= GROUP_FILES or size_bytes >= GROUP_BYTES:
            yield group
            group, size_bytes = [], 0
    if group:
        yield group
