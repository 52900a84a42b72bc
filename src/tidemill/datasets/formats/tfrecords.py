"""TFRecord files with `tf.train.Example` records, written without TensorFlow and readable by it."""

import struct
from collections.abc import Sequence
from typing import BinaryIO

from tidemill.datasets.formats.base import Target
from tidemill.datasets.formats.checksums import masked_crc32c

Feature = bytes | str | int | float | Sequence[int] | Sequence[float] | Sequence[bytes]
_SHARD_BYTES = 256 << 20


class RecordFiles:
    """Records in files of about 256 MB: `<folder>/part-00000.tfrecord`, …"""

    def __init__(self, target: Target, folder: str) -> None:
        self._target, self._folder = target, folder
        self._out: BinaryIO | None = None
        self._written = 0
        self._number = 0

    def add(self, features: dict[str, Feature]) -> None:
        """One record."""
        if self._out is None or self._written > _SHARD_BYTES:
            self.close()
            self._out = self._target.open(f"{self._folder}/part-{self._number:05d}.tfrecord")
            self._number += 1
            self._written = 0
        data = framed(example(features))
        self._out.write(data)
        self._written += len(data)

    def close(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None


def framed(record: bytes) -> bytes:
    """A record as it stands in the file: its length and its bytes, each with a checksum."""
    length = struct.pack("<Q", len(record))
    check = struct.pack("<I", masked_crc32c(length))
    return length + check + record + struct.pack("<I", masked_crc32c(record))


def example(features: dict[str, Feature]) -> bytes:
    """A `tf.train.Example` of named features."""
    entries = b"".join(
        _field(1, _field(1, name.encode()) + _field(2, _feature(value))) for name, value in sorted(features.items())
    )
    return _field(1, entries)


def _feature(value: Feature) -> bytes:
    """One of bytes, floats or whole numbers, by the first value."""
    values: list[bytes | str | int | float]
    values = [value] if isinstance(value, (bytes, str, int, float)) else list(value)
    first = values[0] if values else b""
    if isinstance(first, (bytes, str)):
        parts = [v.encode() if isinstance(v, str) else v for v in values if isinstance(v, (bytes, str))]
        return _field(1, b"".join(_field(1, part) for part in parts))
    if isinstance(first, float):
        return _field(2, _field(1, struct.pack(f"<{len(values)}f", *values)))
    return _field(3, _field(1, b"".join(_varint(int(v)) for v in values)))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
