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
SMALL_BYTES = 64 * 1024
_HEADER = re.compile(rb"([0-9a-f]{64}) (0|[1-9][0-9]{0,18})")

RoomCheck = Callable[[Mapping[str, int]], int | None]
"""Given all sizes announced so far: raises TooLarge, or says up to which sum there is room (None: no limit)."""


@dataclass(frozen=True, slots=True)
class BatchLimits:
    files: int
    size_bytes: int
    in_memory_bytes: int = 4 * 1024 * 1024
    """Of the small ones together; what comes after that goes into files."""


class BatchReader:
    """Takes the request's bytes as they come, and leaves checked files at `<place>.<number>`. Constant memory.

    Small ones need no file before they have their place in the store: as long as there are not many bytes of them, they
    stay in memory. All batches share one folder: a new folder for each would make the file system look for room far and
    wide, which takes several times as long. Sizes are checked against the limits and the project's room when they are
    announced, before the bytes are taken.
    """

    def __init__(self, place: Path, limits: BatchLimits, check_room: RoomCheck) -> None:
        self._place = str(place)
        self._limits = limits
        self._check_room = check_room
        self._room: int | None = 0
        self._announced = 0
        self._sizes: dict[str, int] = {}
        self._files: dict[str, Staged] = {}
        self._contents: dict[str, bytes] = {}
        self._in_memory = 0
        self._count = 0
        self._header = bytearray()
        self._frame: _Frame | _SmallFrame | None = None
        self._paths: list[str] = []

    def close(self) -> None:
        """Removes what was not taken over."""
        if self._frame is not None:
            self._frame.close()
        for path in self._paths:
            with suppress(FileNotFoundError):
                os.unlink(path)

    @property
    def files(self) -> list[Staged]:
        """The files that are whole, each content once; those in `contents` are not among them."""
        return list(self._files.values())

    @property
    def contents(self) -> dict[str, bytes]:
        """Small contents that are whole, by their digests."""
        return self._contents

    @property
    def size_bytes(self) -> int:
        """How much came, each content once."""
        return sum(file.size_bytes for file in self._files.values()) + sum(map(len, self._contents.values()))

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
        self._frame = self._new_frame(digest, size_bytes)
        if size_bytes == 0:
            self._close_frame(self._frame)

    def _new_frame(self, digest: str, size_bytes: int) -> "_Frame | _SmallFrame":
        if size_bytes <= SMALL_BYTES and self._in_memory + size_bytes <= self._limits.in_memory_bytes:
            self._in_memory += size_bytes
            return _SmallFrame(digest, size_bytes)
        path = f"{self._place}.{self._count}"
        self._paths.append(path)
        return _Frame(digest, size_bytes, path)

    def _read_body(self, frame: "_Frame | _SmallFrame", view: memoryview) -> memoryview:
        piece = view[: frame.left_bytes]
        frame.write(piece)
        if frame.left_bytes == 0:
            self._close_frame(frame)
        return view[len(piece) :]

    def _close_frame(self, frame: "_Frame | _SmallFrame") -> None:
        self._frame = None
        frame.close()
        if frame.hash.hexdigest() != frame.digest:
            raise Invalid("checksum_mismatch", field="sha256", details=[frame.digest])
        if isinstance(frame, _Frame):
            self._contents.pop(frame.digest, None)
            self._files[frame.digest] = Staged(frame.digest, frame.size_bytes, frame.path)
        elif frame.digest not in self._files:
            self._contents[frame.digest] = bytes(frame.content)


class _SmallFrame:
    """A content that is being received, and needs no file for that."""

    def __init__(self, digest: str, size_bytes: int) -> None:
        self.digest = digest
        self.left_bytes = size_bytes
        self.hash: Any = hashlib.sha256()
        self.content = bytearray()

    def write(self, data: memoryview) -> None:
        self.hash.update(data)
        self.left_bytes -= len(data)
        self.content += data

    def close(self) -> None:
        """There is nothing to close."""


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
