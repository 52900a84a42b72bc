"""Files of uploads under way. How far an upload is, is the size of its file.

A part is appended to by one writer at a time; another is refused. The hash runs along in memory; after a restart it is
made again from what is on disk, so a crash costs reading, never sending again.
"""

import fcntl
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tidemill.kernel.errors import Conflict

READ_BYTES = 4 * 1024 * 1024
HASHES_KEPT = 256


class Parts:
    """The folder of part files."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._hashes: OrderedDict[str, tuple[int, Any]] = OrderedDict()
        self._mutex = threading.Lock()

    def path(self, upload_id: str) -> Path:
        return self._folder / f"{upload_id}.part"

    def offset(self, upload_id: str) -> int:
        """How many bytes have arrived."""
        try:
            return self.path(upload_id).stat().st_size
        except FileNotFoundError:
            return 0

    @contextmanager
    def writer(self, upload_id: str) -> "Iterator[PartWriter]":
        """The part, ours alone; raises Conflict when somebody else is writing it."""
        handle = self._open(upload_id)
        try:
            writer = PartWriter(handle, self._take_hash(upload_id))
            try:
                yield writer
            finally:
                self._keep_hash(upload_id, writer)
        finally:
            os.close(handle)

    def remove(self, upload_id: str) -> None:
        with self._mutex:
            self._hashes.pop(upload_id, None)
        self.path(upload_id).unlink(missing_ok=True)

    def upload_ids(self) -> list[str]:
        """The uploads that have a file here."""
        return sorted(path.stem for path in self._folder.glob("*.part"))

    def _open(self, upload_id: str) -> int:
        path = self.path(upload_id)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise Conflict("upload_busy") from None
        if not path.exists() or not os.path.samestat(os.fstat(handle), path.stat()):
            os.close(handle)
            raise Conflict("upload_busy")
        return handle

    def _take_hash(self, upload_id: str) -> tuple[int, Any]:
        with self._mutex:
            return self._hashes.pop(upload_id, (0, hashlib.sha256()))

    def _keep_hash(self, upload_id: str, writer: "PartWriter") -> None:
        with self._mutex:
            self._hashes[upload_id] = (writer.hashed, writer.hash)
            while len(self._hashes) > HASHES_KEPT:
                self._hashes.popitem(last=False)


class PartWriter:
    """Appends to a part and hashes along. For one thread at a time."""

    def __init__(self, handle: int, known: tuple[int, Any]) -> None:
        self._handle = handle
        self.offset = os.fstat(handle).st_size
        self.hashed, self.hash = self._trusted(known)

    def _trusted(self, known: tuple[int, Any]) -> tuple[int, Any]:
        return known if known[0] <= self.offset else (0, hashlib.sha256())

    def append(self, data: bytes | bytearray | memoryview) -> None:
        """Writes at the end."""
        self.catch_up()
        view = memoryview(data)
        self.hash.update(view)
        while view:
            view = view[os.write(self._handle, view) :]
        self.offset += len(data)
        self.hashed = self.offset

    def catch_up(self) -> None:
        """Hashes what is on disk and was not hashed in this process."""
        while self.hashed < self.offset:
            block = os.pread(self._handle, min(READ_BYTES, self.offset - self.hashed), self.hashed)
            if not block:
                raise OSError("a part file is shorter than its size")
            self.hash.update(block)
            self.hashed += len(block)

    def mark(self) -> tuple[int, Any]:
        """A state to come back to."""
        self.catch_up()
        return self.offset, self.hash.copy()

    def back_to(self, mark: tuple[int, Any]) -> None:
        """Forgets what was appended since the mark."""
        os.ftruncate(self._handle, mark[0])
        self.offset, self.hash = mark
        self.hashed = self.offset

    def digest(self) -> str:
        """The SHA-256 of all that has arrived."""
        self.catch_up()
        return str(self.hash.hexdigest())
