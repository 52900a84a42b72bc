"""Counting what HAProxy carried: it tells of every call in a line, many lines at a time."""

import asyncio
import logging
from collections.abc import Mapping

from tidemill.gateway.counting import Count

log = logging.getLogger(__name__)

_HALF_A_MS = 0.0005
"""Its milliseconds are whole ones, cut off."""


class Tally:
    """Who is counted where: replicas by their servers, and services by backend for calls that found none."""

    def __init__(self) -> None:
        self.by_server: dict[bytes, Count] = {}
        self.by_backend: dict[bytes, Count] = {}

    def take(self, lines: list[bytes]) -> None:
        by_server: Mapping[bytes, Count] = self.by_server
        for line in lines:
            try:
                backend, server, status, took_ms, taken, given, retries, ending = line.split(b" ")
                count = by_server.get(server) or self.by_backend.get(backend)
                if count is None:
                    continue
                self._count(count, int(status), int(took_ms), int(retries.strip(b"+")), ending)
                count.bytes_in += int(taken)
                count.bytes_out += int(given)
            except ValueError:
                log.warning("HAProxy said %r", line[:200])

    @staticmethod
    def _count(count: Count, status: int, took_ms: int, retries: int, ending: bytes) -> None:
        count.retried += retries
        if ending[:1] == b"C":
            count.cancelled += 1
        elif status >= 100:
            count.answered(status, took_ms / 1000 + _HALF_A_MS)
            if status in {502, 503, 504} and ending != b"--":
                count.failed += 1


class Calls(asyncio.Protocol):
    """HAProxy's connection on which it tells."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._tally.take(lines)
