"""Reading a node's output back."""

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from tidemill.engines.base import LogMark, LogPiece
from tidemill.engines.runner.logs import MARK


def read_log(folder: Path, *, offset: int, limit: int, is_over: bool) -> LogPiece:
    """Output from an offset on; what was dropped meanwhile is skipped over."""
    while True:
        segments = _segments(folder)
        end = segments[-1][0] + segments[-1][1] if segments else 0
        first = segments[0][0] if segments else 0
        start = min(max(end + offset if offset < 0 else offset, first), end)
        try:
            data = _read(folder, segments, start, limit)
        except FileNotFoundError:
            continue  # a segment was dropped under our hands
        return LogPiece(data, start, start + len(data), end, is_over)


def read_marks(folder: Path) -> Sequence[LogMark]:
    """When what was written."""
    data = b""
    with suppress(FileNotFoundError):
        data = (folder / "marks").read_bytes()
    whole = len(data) - len(data) % MARK.size
    return [LogMark(datetime.fromtimestamp(at, UTC), offset) for at, offset in MARK.iter_unpack(data[:whole])]


def _segments(folder: Path) -> list[tuple[int, int]]:
    found = []
    with suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            if entry.name.isdigit():
                with suppress(FileNotFoundError):
                    found.append((int(entry.name), entry.stat().st_size))
    return sorted(found)


def _read(folder: Path, segments: list[tuple[int, int]], start: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    for begin, size in segments:
        if begin + size <= start or limit <= 0:
            continue
        with (folder / f"{begin:020d}").open("rb") as file:
            file.seek(start - begin)
            piece = file.read(min(limit, begin + size - start))
        pieces.append(piece)
        start += len(piece)
        limit -= len(piece)
    return b"".join(pieces)
