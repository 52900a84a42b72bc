"""Counting what HAProxy carried.

It counts itself what each server answered; these totals are read now and then. How long calls took it tells, a line a
call: of each that was in any way out of the ordinary, of each of a service that is called seldom, and of a part of the
others. What was counted is spread over what was told.
"""

import asyncio
import logging
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidemill.gateway.counting import Count
from tidemill.gateway.schemas import LATENCY_BOUNDS_S

log = logging.getLogger(__name__)

_HALF_A_MS = 0.0005
"""Its milliseconds are whole ones, cut off."""
_CLASSES = 6
_PATIENCE = 3
"""How many times answers are seen of which nothing was told, until they are taken to be like those before them."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What one server has now, and what it had since HAProxy began."""

    open: int
    answers: tuple[int, ...]
    """By the first digit of the status."""
    bytes_in: int
    bytes_out: int
    usual_s: float
    """How long its last calls took on the average."""


_NOTHING = Totals(0, (0,) * _CLASSES, 0, 0, 0.0)


class _Server:
    """A server's calls on their way into a replica's count."""

    def __init__(self, count: Count) -> None:
        self.count = count
        self.owed = [0] * _CLASSES
        """Answers that were counted and not yet spread. Less than none where telling was quicker than counting."""
        self._told = [0] * (len(LATENCY_BOUNDS_S) + 1)
        self._told_s = 0.0
        self._waited = 0

    def tell(self, took_s: float) -> None:
        """How long one of the ordinary calls took."""
        self._told[bisect_left(LATENCY_BOUNDS_S, took_s)] += 1
        self._told_s += took_s

    def settle(self, usual_s: float, *, is_last: bool) -> None:
        """Answers that are owed go into the count, spread as what was told."""
        fresh = [max(0, one) for one in self.owed]
        answers, told = sum(fresh), sum(self._told)
        if not answers:
            return
        if not told:
            self._waited += 1
            if self._waited < _PATIENCE and not is_last:
                return
            self.tell(usual_s)
            told = 1
        self.count.add(fresh, spread(answers, self._told), self._told_s * answers / told)
        self.owed = [min(0, one) for one in self.owed]
        self._told = [0] * len(self._told)
        self._told_s, self._waited = 0.0, 0


def spread(total: int, parts: Sequence[int]) -> list[int]:
    """The total in the proportion of the parts, in whole numbers."""
    whole = sum(parts)
    found, reached, given = [], 0, 0
    for part in parts:
        reached += part
        found.append(reached * total // whole - given)
        given += found[-1]
    return found


class Tally:
    """Who is counted where: replicas by their servers, and services by backend for calls that found none."""

    def __init__(self) -> None:
        self.by_backend: dict[bytes, Count] = {}
        self._servers: dict[bytes, _Server] = {}
        self._seen: dict[bytes, Totals] = {}

    def begin_anew(self) -> None:
        """There is no HAProxy now, or one that has counted nothing yet."""
        self._seen = {}
        for server in self._servers.values():
            server.count.carried = 0

    def assign(self, server: bytes, count: Count) -> None:
        """From now on the server's calls are counted here."""
        known = self._servers.get(server)
        if known is not None and known.count is not count:
            known.count.carried = 0
            known.settle(self._seen.get(server, _NOTHING).usual_s, is_last=True)
        if known is None or known.count is not count:
            self._servers[server] = _Server(count)

    def see(self, found: Mapping[str, Totals], *, is_last: bool = False) -> None:
        """Totals of servers, as they are now."""
        for name, totals in found.items():
            key = name.encode()
            before = self._seen.get(key, _NOTHING)
            self._seen[key] = totals
            server = self._servers.get(key)
            if server is None:
                continue
            server.count.carried = totals.open
            server.count.bytes_in += totals.bytes_in - before.bytes_in
            server.count.bytes_out += totals.bytes_out - before.bytes_out
            grown = (now - then for now, then in zip(totals.answers, before.answers, strict=True))
            server.owed = [owed + more for owed, more in zip(server.owed, grown, strict=True)]
            server.settle(totals.usual_s, is_last=is_last)

    def take(self, lines: Sequence[bytes]) -> None:
        """What was told of single calls."""
        for line in lines:
            try:
                backend, server, status, took_ms, retries, ending = line.split(b" ")
                self._take(backend, server, int(status), int(took_ms), int(retries.strip(b"+")), ending)
            except ValueError:
                log.warning("HAProxy said %r", line[:200])

    def _take(self, backend: bytes, name: bytes, status: int, took_ms: int, retries: int, ending: bytes) -> None:
        server = self._servers.get(name)
        took_s = took_ms / 1000 + _HALF_A_MS
        if server is not None and ending == b"--" and not retries and 100 <= status < 500:
            server.tell(took_s)
            return
        count = server.count if server is not None else self.by_backend.get(backend)
        if count is None:
            return
        # These are all told of, and counted here; those that the replica answered are in the totals as well.
        if server is not None and status >= 100 and ending[1:2] in (b"-", b"D", b"L"):
            server.owed[status // 100 if status < 600 else 0] -= 1
        count.retried += retries
        if ending[:1] == b"C":
            count.cancelled += 1
        elif status >= 100:
            count.answered(status, took_s)
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
