"""A node's output on disk: the newest of it, in segments, with a note of when what was written.

`log/<offset>` are the segments, named by the offset of their first byte. `log/marks` holds pairs of time and offset.
"""

import contextlib
import os
import struct
import time

MARK = struct.Struct("<dQ")
MARK_EVERY_S = 1.0
MARKS = 8192
SEGMENTS = 8
RATE_BYTES_S = 16 * 1024 * 1024
"""Faster output waits: a flood is slowed down by its own pipe, and neither the disk nor the runner drowns."""


class LogWriter:
    """Appends output, drops the oldest segment when there is more than `limit_bytes`."""

    def __init__(self, folder: str, limit_bytes: int) -> None:
        os.makedirs(folder, exist_ok=True)
        self._folder = folder
        self._segment_bytes = max(4096, limit_bytes // SEGMENTS)
        self._limit_bytes = limit_bytes
        self._starts: list[int] = []
        self._handle = -1
        self._offset = 0
        self._marks = os.open(f"{folder}/marks", os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._marked_at = 0.0
        self._mark_count = 0
        self._allowance = float(RATE_BYTES_S)
        self._allowed_at = time.monotonic()

    def write(self, data: bytes) -> None:
        """Appends."""
        self._allowance -= len(data)
        with contextlib.suppress(OSError):  # the disk is full: output is lost, the work is not
            self._mark(time.time())
            while data:
                room = self._room()
                written = os.write(self._handle, data[:room])
                self._offset += written
                data = data[written:]

    def pause_s(self) -> float:
        """How long to leave the output where it is, so that it keeps to the rate."""
        now = time.monotonic()
        self._allowance = min(RATE_BYTES_S, self._allowance + (now - self._allowed_at) * RATE_BYTES_S)
        self._allowed_at = now
        return 0.0 if self._allowance > 0 else -self._allowance / RATE_BYTES_S + 0.01

    def close(self) -> None:
        """Leaves a last mark, so that the end of the output has a time."""
        self._marked_at = 0.0
        with contextlib.suppress(OSError):
            self._mark(time.time())
        os.close(self._marks)
        if self._handle >= 0:
            os.close(self._handle)

    def _room(self) -> int:
        """Bytes left in the newest segment; begins one when there are none."""
        start = self._starts[-1] if self._starts else None
        if start is None or self._offset - start >= self._segment_bytes:
            self._begin_segment()
            start = self._offset
        return self._segment_bytes - (self._offset - start)

    def _begin_segment(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._handle = os.open(f"{self._folder}/{self._offset:020d}", flags, 0o600)
        self._starts.append(self._offset)
        # The new segment will fill up: what is kept together with it must stay within the limit.
        while len(self._starts) > 1 and self._offset + self._segment_bytes - self._starts[0] > self._limit_bytes:
            os.unlink(f"{self._folder}/{self._starts.pop(0):020d}")

    def _mark(self, now: float) -> None:
        if now - self._marked_at < MARK_EVERY_S:
            return
        self._marked_at = now
        os.write(self._marks, MARK.pack(now, self._offset))
        self._mark_count += 1
        if self._mark_count >= MARKS:
            self._thin_marks()

    def _thin_marks(self) -> None:
        """Keeps every second mark: a run of weeks has coarser ones than a run of an hour."""
        kept = list(MARK.iter_unpack(os.pread(self._marks, self._mark_count * MARK.size, 0)))[::2]
        name = f"{self._folder}/marks.new"
        fresh = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.write(fresh, b"".join(MARK.pack(*mark) for mark in kept))
        os.rename(name, f"{self._folder}/marks")
        os.close(self._marks)
        self._marks, self._mark_count = fresh, len(kept)
