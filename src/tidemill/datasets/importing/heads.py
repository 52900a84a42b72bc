"""The size of plain JPEG and PNG pictures from their first bytes: an eighth of what opening them costs.

Says nothing of what is in any way unusual (turned by EXIF, lossless, several frames): then the picture is opened.
"""

import struct
from dataclasses import dataclass

_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_SIZES = frozenset({0xC0, 0xC1, 0xC2})
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
SIDE_MAX = 1 << 14


@dataclass(frozen=True, slots=True)
class Head:
    """What the first bytes say."""

    media: str
    width: int
    height: int


def read_head(data: bytes) -> Head | None:
    """Of a whole and plain picture; None where there is any doubt."""
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    if data[:16] == _PNG:
        return _png(data)
    return None


def _jpeg(data: bytes) -> Head | None:
    if data[-2:] != b"\xff\xd9":
        return None
    at, end = 2, len(data) - 9
    while at < end:
        if data[at] != 0xFF:
            return None
        kind = data[at + 1]
        if kind in _SIZES:
            height, width, colours = struct.unpack_from(">HHB", data, at + 5)
            return _checked("image/jpeg", width, height) if colours in {1, 3} else None
        is_exif = kind == 0xE1 and data[at + 4 : at + 8] == b"Exif"
        is_several = kind == 0xE2 and data[at + 4 : at + 8] == b"MPF\x00"
        if kind in _ALONE or kind == 0xFF or is_exif or is_several:
            return None
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _png(data: bytes) -> Head | None:
    is_plain = data[-8:] == b"IEND\xaeB`\x82" and b"acTL" not in data[:200] and b"eXIf" not in data
    if not is_plain or len(data) < 45:
        return None
    width, height = struct.unpack_from(">II", data, 16)
    return _checked("image/png", width, height)


def _checked(media: str, width: int, height: int) -> Head | None:
    return Head(media, width, height) if 0 < width <= SIDE_MAX and 0 < height <= SIDE_MAX else None
