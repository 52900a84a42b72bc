"""What nodes wrote: pages, search, streams, downloads. All from the engine, in constant memory.

Output is bytes; what we hand out is text. A page begins and ends between characters, so that no page shows half of one.
"""

import base64
import binascii
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime

from tidemill.engines.base import Engine, EngineError, LogMark, LogPiece
from tidemill.kernel.errors import Invalid
from tidemill.workloads.schemas import LogFoundView, LogLineView, LogView

PAGE_BYTES = 256 * 1024
BLOCK_BYTES = 1024 * 1024
LINE_MAX_BYTES = 64 * 1024
SCAN_MAX_BYTES = 32 * 1024 * 1024
"""How much one search request reads; it answers with where to go on."""


def read_page(engine: Engine, launch: str, node: int, *, offset: int, limit: int) -> LogView:
    """Text from an offset; a negative one counts from the end."""
    piece = engine.logs(launch, node, offset=offset, limit=limit)
    data, cut = whole_characters(piece.data, is_last=piece.is_over and piece.next_offset >= piece.end_offset)
    start = 0
    if offset < 0 or piece.offset > max(offset, 0):
        start = _first_character(data)
    return LogView(
        text=data[start:].decode("utf-8", "replace"),
        offset=piece.offset + start,
        next_offset=piece.next_offset - cut,
        end_offset=piece.end_offset,
        is_over=piece.is_over,
    )


def whole_characters(data: bytes, *, is_last: bool) -> tuple[bytes, int]:
    """The data without a character that is cut off at its end, and how many bytes that were."""
    if is_last:
        return data, 0
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            return data, 0
        if byte >= 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return (data[:-back], back) if needs > back and len(data) > back else (data, 0)
    return data, 0


def blocks(engine: Engine, launch: str, node: int) -> Iterator[bytes]:
    """Everything that is kept, up to what was written when we began."""
    offset, end = 0, None
    while end is None or offset < end:
        piece = engine.logs(launch, node, offset=offset, limit=BLOCK_BYTES)
        end = piece.end_offset if end is None else end
        if not piece.data:
            return
        yield piece.data
        offset = piece.next_offset


def whole(engine: Engine, launch: str | None, node: int) -> Iterator[bytes]:
    """`blocks`, or nothing where the engine has nothing."""
    if launch is None:
        return
    try:
        yield from blocks(engine, launch, node)
    except EngineError:
        return


def search(
    engine: Engine,
    launch: str,
    node: int,
    *,
    q: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    cursor: str | None,
) -> LogFoundView:
    """Lines with the text in them, whatever its case, written within the time range."""
    marks = engine.log_marks(launch, node)
    offsets = [mark.offset for mark in marks]
    begin = _decode(cursor) if cursor else _offset_at(marks, since)
    wanted = q.casefold() if q else None
    found: list[LogLineView] = []
    for offset, line in _lines(engine, launch, node, begin):
        at = _time_at(marks, offsets, offset)
        if until is not None and at is not None and at > until:
            return LogFoundView(items=found, next=None)
        if offset - begin > SCAN_MAX_BYTES:
            return LogFoundView(items=found, next=_encode(offset))
        words = line.decode("utf-8", "replace").rstrip("\r\n")
        if (wanted is None or wanted in words.casefold()) and (since is None or at is None or at >= since):
            if len(found) == limit:
                return LogFoundView(items=found, next=_encode(offset))
            found.append(LogLineView(offset=offset, at=at, text=words))
    return LogFoundView(items=found, next=None)


def _lines(engine: Engine, launch: str, node: int, offset: int) -> Iterator[tuple[int, bytes]]:
    """(offset, line) from an offset on; a line that never ends comes in pieces."""
    rest, place = b"", offset
    while True:
        piece: LogPiece = engine.logs(launch, node, offset=offset, limit=BLOCK_BYTES)
        if not piece.data:
            break
        if piece.offset > offset:
            # What was there has been dropped; we go on with what is kept.
            rest, place = b"", piece.offset
        rest += piece.data
        offset = piece.next_offset
        *whole, rest = rest.split(b"\n")
        for line in whole:
            yield place, line
            place += len(line) + 1
        while len(rest) > LINE_MAX_BYTES:
            yield place, rest[:LINE_MAX_BYTES]
            place, rest = place + LINE_MAX_BYTES, rest[LINE_MAX_BYTES:]
    if rest:
        yield place, rest


def _time_at(marks: Sequence[LogMark], offsets: Sequence[int], offset: int) -> datetime | None:
    """When the byte at the offset was written: the first mark that had it."""
    if not marks:
        return None
    return marks[min(bisect_right(offsets, offset), len(marks) - 1)].at


def _offset_at(marks: Sequence[LogMark], since: datetime | None) -> int:
    """What had been written before that time."""
    if since is None:
        return 0
    place = bisect_left([mark.at for mark in marks], since)
    return marks[place - 1].offset if place else 0


def _first_character(data: bytes) -> int:
    """Where the first whole character begins."""
    return next((place for place, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)


def _encode(offset: int) -> str:
    return base64.urlsafe_b64encode(str(offset).encode()).decode().rstrip("=")


def _decode(cursor: str) -> int:
    try:
        offset = int(base64.urlsafe_b64decode((cursor + "=" * (-len(cursor) % 4)).encode("ascii")))
    except (ValueError, binascii.Error, UnicodeError):
        raise Invalid("cursor_invalid", field="cursor") from None
    if not 0 <= offset < 1 << 62:
        raise Invalid("cursor_invalid", field="cursor")
    return offset
