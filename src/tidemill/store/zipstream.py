"""Writing a zip that is never seen whole: no seeking, and the list of files at its end waits on disk, not in memory.

Sizes and checksums come after each file (general purpose bit 3). Zip64 fields are written where numbers need them.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import PurePosixPath
from typing import IO

STORED, DEFLATED = 0, 8
_FLAGS = 1 << 3 | 1 << 11
"""Bit 3: sizes follow the content. Bit 11: names are UTF-8."""
_LIMIT_32 = 0xFFFFFFFF
_LARGE = 0xF0000000
"""From this size on a file is written with 64-bit sizes: compressed it may be a little longer than it is."""
_READ_BYTES = 1 << 20
_LEVEL = 1

_COMPRESSED = frozenset({
    ".7z", ".avif", ".bz2", ".docx", ".flac", ".gif", ".gz", ".heic", ".jpeg", ".jpg", ".keras", ".m4a", ".mkv", ".mov",
    ".mp3", ".mp4", ".npz", ".ogg", ".parquet", ".png", ".pptx", ".pt", ".pth", ".rar", ".safetensors", ".tflite",
    ".tgz", ".webm", ".webp", ".whl", ".xlsx", ".xz", ".zip", ".zst",
})  # fmt: skip
"""Kinds of file that do not get smaller."""


class ZipStream:
    """Gives the zip's bytes piece by piece: `add` for each file, then `end`."""

    def __init__(self, directory: IO[bytes]) -> None:
        """`directory` is an empty file for the list to wait in."""
        self._directory = directory
        self._offset = 0
        self._count = 0

    def add(self, name: str, changed_at: datetime, size_bytes: int, content: Iterable[bytes]) -> Iterator[bytes]:
        """One file."""
        offset, encoded = self._offset, name.encode()
        method = STORED if PurePosixPath(name).suffix.lower() in _COMPRESSED else DEFLATED
        is_large = size_bytes >= _LARGE
        stamp = _dos_time(changed_at)
        yield self._count_out(_local_header(encoded, method, stamp, is_large))
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS) if method == DEFLATED else None
        crc, read, start = 0, 0, self._offset
        for block in content:
            crc, read = zlib.crc32(block, crc), read + len(block)
            yield self._count_out(packer.compress(block) if packer else block)
        if packer:
            yield self._count_out(packer.flush())
        packed = self._offset - start
        yield self._count_out(struct.pack("<4sLQQ" if is_large else "<4sLLL", b"PK\7\10", crc, packed, read))
        self._directory.write(_entry(encoded, method, stamp, crc, packed, read, offset))
        self._count += 1

    def end(self) -> Iterator[bytes]:
        """The list of files."""
        start, size = self._offset, self._directory.tell()
        self._directory.seek(0)
        while block := self._directory.read(_READ_BYTES):
            yield block
        count, offset = self._count, start
        if count >= 0xFFFF or size >= _LIMIT_32 or offset >= _LIMIT_32:
            yield struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, offset)
            yield struct.pack("<4sLQL", b"PK\6\7", 0, start + size, 1)
        shown = min(count, 0xFFFF)
        yield struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, shown, shown, min(size, _LIMIT_32), min(offset, _LIMIT_32), 0)

    def _count_out(self, data: bytes) -> bytes:
        self._offset += len(data)
        return data


def _local_header(name: bytes, method: int, stamp: tuple[int, int], is_large: bool) -> bytes:
    size = _LIMIT_32 if is_large else 0
    extra = struct.pack("<HHQQ", 1, 16, 0, 0) if is_large else b""
    version = 45 if is_large else 20
    numbers = struct.pack(
        "<4sHHHHHLLLHH", b"PK\3\4", version, _FLAGS, method, *stamp, 0, size, size, len(name), len(extra)
    )
    return numbers + name + extra


def _entry(name: bytes, method: int, stamp: tuple[int, int], crc: int, packed: int, size: int, offset: int) -> bytes:
    """A file's entry in the list; numbers too long for their field go to the 64-bit extra, in this order."""
    long_ones = [number for number in (size, packed, offset) if number >= _LIMIT_32]
    extra = struct.pack(f"<HH{len(long_ones)}Q", 1, 8 * len(long_ones), *long_ones) if long_ones else b""
    numbers = struct.pack(
        "<4sHHHHHHLLLHHHHHLL",
        b"PK\1\2", 3 << 8 | 45, 45 if long_ones else 20, _FLAGS, method, *stamp, crc,
        min(packed, _LIMIT_32), min(size, _LIMIT_32), len(name), len(extra), 0, 0, 0, 0o100644 << 16,
        min(offset, _LIMIT_32),
    )  # fmt: skip
    return numbers + name + extra


def _dos_time(moment: datetime) -> tuple[int, int]:
    """Time and date as old as the format: from 1980 on, to two seconds."""
    year = min(max(moment.year, 1980), 2107)
    return (
        moment.hour << 11 | moment.minute << 5 | moment.second // 2,
        (year - 1980) << 9 | moment.month << 5 | moment.day,
    )
