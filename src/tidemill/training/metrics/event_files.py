"""TensorBoard's event files: scalars read without TensorFlow.

A file is a row of records: length (8 bytes), checksum of the length (4), data, checksum of the data (4). The data is an
`Event` in protobuf's wire format, of which only time, step and scalar values are read. Files come from workloads and
are not trusted: whatever is not what it should be ends the reading of that file or is skipped, and nothing is believed
about lengths before it was checked.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

HEADER_BYTES = 12
FOOTER_BYTES = 4
RECORD_MAX_BYTES = 1 << 20
"""Longer records hold pictures and graphs; they are passed over."""
TAG_MAX = 200

_DOUBLE, _FLOAT = struct.Struct("<d"), struct.Struct("<f")
_LENGTH = struct.Struct("<QI")
_TENSOR_FORMATS = {1: "f", 2: "d", 3: "i", 9: "q", 19: "e"}
"""TensorFlow's names of types: float, double, int32, int64, half."""
_TENSOR_FIELDS = {5: "f", 6: "d"}


class Scalar(NamedTuple):
    """One value of one tag."""

    tag: str
    step: int
    value: float
    at_s: float


class Broken(Exception):
    """This is no event file, or its writer was cut off."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was found in a stretch of a file, and where to go on."""

    scalars: list[Scalar]
    next_offset: int


def read_records(data: bytes, offset: int) -> Read:
    """The scalars of all whole records in `data`, which begins at `offset` of its file; raises Broken.

    A record that is not there to its end yet is left for the next time. One that is too long is passed over, and
    `next_offset` may then lie past the end of the data.
    """
    scalars: list[Scalar] = []
    position = 0
    while position + HEADER_BYTES <= len(data):
        length, check = _LENGTH.unpack_from(data, position)
        if masked_crc(data[position : position + 8]) != check:
            raise Broken(f"the length at {offset + position} does not match its checksum")
        end = position + HEADER_BYTES + length + FOOTER_BYTES
        if length <= RECORD_MAX_BYTES:
            if end > len(data):
                break
            scalars.extend(_scalars(data[position + HEADER_BYTES : end - FOOTER_BYTES]))
        position = end
    return Read(scalars, offset + position)


def masked_crc(data: bytes) -> int:
    """CRC-32C, turned and shifted as TFRecord files want it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC_TABLE = _crc_table()


def _scalars(event: bytes) -> list[Scalar]:
    at_s, step = 0.0, 0
    found: list[tuple[str, float]] = []
    try:
        for number, value in _fields(event):
            if number == 1 and isinstance(value, bytes) and len(value) == 8:
                at_s = _DOUBLE.unpack(value)[0]
            elif number == 2 and isinstance(value, int):
                step = value - (1 << 64) if value >> 63 else value
            elif number == 5 and isinstance(value, bytes):
                found.extend(pair for n, v in _fields(value) if n == 1 and (pair := _value(v)))
    except (Broken, struct.error, UnicodeDecodeError, RecursionError) as error:
        raise Broken(f"a record is not an event: {error}") from error
    return [Scalar(tag, step, value, at_s) for tag, value in found]


def _value(data: int | bytes) -> tuple[str, float] | None:
    """Tag and number of a `Summary.Value`; None when it is something else, such as a picture."""
    if isinstance(data, int):
        return None
    tag, value, plugin = "", None, ""
    for number, content in _fields(data):
        if not isinstance(content, bytes):
            continue
        if number == 1:
            tag = content.decode()
        elif number == 2 and len(content) == 4:
            value = _FLOAT.unpack(content)[0]
        elif number == 8 and value is None:
            value = _find_number(content)
        elif number == 9:
            plugin = _plugin(content)
    if value is None or not tag or len(tag) > TAG_MAX or plugin not in ("", "scalars"):
        return None
    return tag, float(value)


def _plugin(metadata: bytes) -> str:
    for number, content in _fields(metadata):
        if number == 1 and isinstance(content, bytes):
            return next((v.decode() for n, v in _fields(content) if n == 1 and isinstance(v, bytes)), "")
    return ""


def _find_number(tensor: bytes) -> float | None:
    """The value of a `TensorProto` that holds exactly one number."""
    kind, content, listed = 0, b"", b""
    for number, value in _fields(tensor):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number == 4 and isinstance(value, bytes):
            content = value
        elif number in _TENSOR_FIELDS and isinstance(value, bytes):
            listed = value
    shape = _TENSOR_FORMATS.get(kind)
    if shape is None:
        return None
    found = content or listed
    return float(struct.unpack(f"<{shape}", found)[0]) if len(found) == struct.calcsize(shape) else None


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and content of each field; numbers of fixed width come as their bytes."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, position = _varint(message, position)
            yield number, value
            continue
        if wire == 2:
            length, position = _varint(message, position)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise Broken(f"wire type {wire}")
        if position + length > len(message):
            raise Broken("a field goes past its end")
        yield number, message[position : position + length]
        position += length


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            raise Broken("a number is cut off")
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position
    raise Broken("a number does not end")
