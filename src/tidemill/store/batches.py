"""Many small files in one request: frames of one line `<sha256> <size>` and the bytes, one after the other."""

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidemill.kernel.errors import Invalid, TooLarge
from tidemill.store.backends import Staged

MEDIA_TYPE = "application/x-tidemill-batch"
HEADER_MAX_BYTES = 64 + 1 + 19 + 1
_HEADER = re.compile(rb"([0-9a-f]{64}) (0|[1-9][0-9]{0,18})")

RoomCheck = Callable[[Mapping[str, int]], int | None]
"""Given all sizes announced so far: raises TooLarge, or says up to which sum there is room (None: no limit)."""


@dataclass(frozen=True, slots=True)
class BatchLimits:
    files: int
    size_bytes: int


class BatchReader:
    """Takes the request's bytes as they come, and leaves checked files at `<place>.<number>`. Constant memory.

    All batches share one folder: a new folder for each would make the file system look for room far and wide, which
    takes several times as long. Sizes are checked against the limits and the project's room when they are announced,
    before the bytes are taken.
    """

    def __init__(self, place: Path, limits: BatchLimits, check_room: RoomCheck) -> None:
        self._place = str(place)
        self._limits = limits
        self._check_room = check_room
        self._room: int | None = 0
        self._announced = 0
        self._sizes: dict[str, int] = {}
        self._files: dict[str, Staged] = {}
        self._count = 0
        self._header = bytearray()
        self._frame: _Frame | None = None

    def close(self) -> None:
        """Removes what was not taken over."""
        if self._frame is not None:
            self._frame.close()
        for number in range(1, self._count + 1):
            with suppress(FileNotFoundError):
                os.unlink(self._path(number))

    @property
    def files(self) -> list[Staged]:
        """The files that are whole, each content once."""
        return list(self._files.values())

    @property
    def count(self) -> int:
        """How many frames have come."""
        return self._count

    def feed(self, data: bytes | bytearray) -> None:
        """The next bytes of the request."""
        view = memoryview(data)
        while view:
            view = self._read_header(view) if self._frame is None else self._read_body(self._frame, view)

    def end(self) -> None:
        """Nothing more comes; raises Invalid in the middle of a frame."""
        if self._frame is not None or self._header:
            raise Invalid("batch_cut", field="body")

    def _read_header(self, view: memoryview) -> memoryview:
        piece = bytes(view[: HEADER_MAX_BYTES - len(self._header)])
        line, newline, _ = piece.partition(b"\n")
        self._header += line
        if not newline:
            if len(self._header) >= HEADER_MAX_BYTES:
                raise Invalid("batch_frame", field="body", number=self._count + 1)
            return view[len(line) :]
        found = _HEADER.fullmatch(bytes(self._header))
        if found is None:
            raise Invalid("batch_frame", field="body", number=self._count + 1)
        self._header.clear()
        self._open_frame(found[1].decode(), int(found[2]))
        return view[len(line) + 1 :]

    def _open_frame(self, digest: str, size_bytes: int) -> None:
        self._count += 1
        self._announced += size_bytes
        if self._count > self._limits.files or self._announced > self._limits.size_bytes:
            raise TooLarge("batch_too_large", files=self._limits.files, bytes=self._limits.size_bytes)
        self._sizes[digest] = size_bytes
        if self._room is not None and self._announced > self._room:
            self._room = self._check_room(self._sizes)
        self._frame = _Frame(digest, size_bytes, self._path(self._count))
        if size_bytes == 0:
            self._close_frame(self._frame)

    def _path(self, number: int) -> str:
        return f"{self._place}.{number}"

    def _read_body(self, frame: "_Frame", view: memoryview) -> memoryview:
        piece = view[: frame.left_bytes]
        frame.write(piece)
        if frame.left_bytes == 0:
            self._close_frame(frame)
        return view[len(piece) :]

    def _close_frame(self, frame: "_Frame") -> None:
        self._frame = None
        frame.close()
        if frame.hash.hexdigest() != frame.digest:
            raise Invalid("checksum_mismatch", field="sha256", details=[frame.digest])
        self._files[frame.digest] = Staged(frame.digest, frame.size_bytes, frame.path)


class _Frame:
    """A file that is being received."""

    def __init__(self, digest: str, size_bytes: int, path: str) -> None:
        self.digest = digest
        self.size_bytes = size_bytes
        self.left_bytes = size_bytes
        self.path = path
        self.hash: Any = hashlib.sha256()
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def write(self, data: memoryview) -> None:
        self.hash.update(data)
        self.left_bytes -= len(data)
        while data:
            data = data[os.write(self._handle, data) :]

    def close(self) -> None:
        os.close(self._handle)
