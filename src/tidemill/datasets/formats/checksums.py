"""CRC-32C, as TFRecord files want it, at the speed of numpy.

A checksum is linear: the bytes are cut into lanes of the same length, all lanes go forward one byte at a time together,
and the lanes' checksums are joined two by two, each left one moved on by the length of the right.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78
_LEAST_LANES = 64
_LANE_BYTES = 256


def crc32c(data: bytes) -> int:
    """The checksum of the bytes."""
    whole = len(data) // _LANE_BYTES
    if whole < _LEAST_LANES:
        return _plain(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
    lanes = 1 << (whole.bit_length() - 1)
    cut = lanes * _LANE_BYTES
    return _plain(data[cut:], _in_lanes(data[:cut], lanes)) ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """Turned and moved, so that checksums of checksums mean something."""
    value = crc32c(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _plain(data: bytes, state: int) -> int:
    table = _table_list()
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state


def _in_lanes(data: bytes, lanes: int) -> int:
    import numpy as np

    columns = np.ascontiguousarray(np.frombuffer(data, dtype=np.uint8).reshape(lanes, _LANE_BYTES).T)
    table = _table()
    states = np.zeros(lanes, dtype=np.uint32)
    states[0] = 0xFFFFFFFF
    for place in range(_LANE_BYTES):
        states = table[(states ^ columns[place]) & 0xFF] ^ (states >> np.uint32(8))
    length = _LANE_BYTES
    while len(states) > 1:
        states = _moved_on(states[0::2], length) ^ states[1::2]
        length *= 2
    return int(states[0])


def _moved_on(states: "Words", length: int) -> "Words":
    """The states after that many zero bytes."""
    import numpy as np

    tables = _shift_tables(length)
    moved = np.zeros_like(states)
    for byte in range(4):
        moved ^= tables[byte][(states >> np.uint32(8 * byte)) & 0xFF]
    return moved


@cache
def _shift_tables(length: int) -> "Words":
    """What each byte of a state becomes after so many zero bytes; by doubling."""
    import numpy as np

    if length > 1:
        half = _shift_tables(length // 2)
        flat = half.reshape(-1)
        moved = np.zeros_like(flat)
        for byte in range(4):
            moved ^= half[byte][(flat >> np.uint32(8 * byte)) & 0xFF]
        return moved.reshape(4, 256)
    table = _table()
    tables = np.zeros((4, 256), dtype=np.uint32)
    for byte in range(4):
        states = np.arange(256, dtype=np.uint32) << np.uint32(8 * byte)
        tables[byte] = table[states & 0xFF] ^ (states >> np.uint32(8))
    return tables


@cache
def _table() -> "Words":
    import numpy as np

    return np.array(_table_list(), dtype=np.uint32)


@cache
def _table_list() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table
