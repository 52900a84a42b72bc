"""Shadow traffic: copies of requests for a version that is only watched; its answers are compared and thrown away."""

import hashlib
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import orjson

from tidemill.gateway.back import Back, Pairs, connect, take_resting
from tidemill.gateway.headers import Asked
from tidemill.gateway.routing import Replica, Service
from tidemill.gateway.schemas import Difference
from tidemill.kernel.clock import utc_now

if TYPE_CHECKING:
    from tidemill.gateway.core import Core

EXAMPLES = 20
"""Differences that are kept of each service."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A request, and how it was answered."""

    head: bytes
    body: bytes
    method: bytes
    path: bytes
    request_id: str
    status: int
    answer: bytes
    took_s: float


class Sample:
    """What a caller is answered, kept for the comparison while it is small."""

    __slots__ = ("_left_bytes", "_parts")

    def __init__(self, max_bytes: int) -> None:
        self._left_bytes = max_bytes
        self._parts: list[bytes] = []

    def keep(self, data: bytes) -> bool:
        """False where it has grown too large to be compared."""
        self._left_bytes -= len(data)
        self._parts.append(data)
        return self._left_bytes >= 0

    @property
    def answer(self) -> bytes:
        return b"".join(self._parts)


class Shadows:
    """Sends copies, a few at a time, and counts how their answers compare. Callers never wait for any of it."""

    def __init__(self, core: "Core", *, clock: Callable[[], datetime] = utc_now) -> None:
        self._core = core
        self._clock = clock
        self._under_way = 0
        self._examples: dict[str, deque[Difference]] = {}

    def sample(self, service: Service, asked: Asked) -> Sample | None:
        """Whether the shadow is to be shown a copy of this request: then, what keeps its answer."""
        shadow = service.route.shadow
        if shadow is None or random.random() * 100 >= shadow.percent or asked.upgrade:  # noqa: S311 — no secret
            return None
        if (asked.length or 0) > self._core.limits.kept_bytes:
            self.skip(service)
            return None
        return Sample(self._core.limits.kept_bytes)

    def skip(self, service: Service) -> None:
        """Notes that a copy was not sent."""
        if service.shadow is not None:
            service.copies[service.shadow.replicas[0]].shadow_skipped += 1

    def send(
        self,
        service: Service,
        *,
        head: bytes,
        body: bytes,
        method: bytes,
        path: bytes,
        request_id: str,
        status: int,
        answer: bytes,
        took_s: float,
    ) -> None:
        """Sends a copy, unless too many are under way."""
        track = service.shadow
        replica = None if track is None else track.pick(time.monotonic())
        if replica is None or self._under_way >= self._core.limits.shadows:
            self.skip(service)
            return
        copy = Copy(head, body, method, path, request_id, status, answer, took_s)
        self._under_way += 1
        replica.open += 1
        mirror = Mirror(self, service, replica, copy)
        mirror.count.in_flight += 1
        self._core.spawn(self._mirror(mirror))

    def differences(self) -> list[Difference]:
        """The newest differences, newest first."""
        found = [one for examples in self._examples.values() for one in examples]
        return sorted(found, key=lambda one: one.at, reverse=True)

    async def _mirror(self, mirror: "Mirror") -> None:
        limits, replica, copy = self._core.limits, mirror.replica, mirror.copy
        try:
            back = take_resting(replica, limits.pool_idle_s) or await connect(replica, limits.connect_s)
        except OSError:
            replica.aside_until_s = time.monotonic() + limits.aside_s
            mirror.lost()
            return
        mirror.back = back
        timer = self._core.loop.call_later(mirror.service.route.timeout_s, mirror.give_up)
        mirror.timer = timer
        back.send(mirror, copy.head + copy.body)

    def compare(self, mirror: "Mirror") -> None:
        """Counts one comparison."""
        copy, replica, service = mirror.copy, mirror.replica, mirror.service
        self._under_way -= 1
        replica.open -= 1
        count = mirror.count
        count.in_flight -= 1
        if mirror.status is None:
            count.shadow_failed += 1
            count.failed += 1
        else:
            count.answered(mirror.status, mirror.took_s)
            count.shadow_latency_s += mirror.took_s
            count.shadow_live_latency_s += copy.took_s
            if mirror.status == copy.status and _are_equal(copy.answer, mirror.answer):
                count.shadow_same += 1
                return
            count.shadow_different += 1
        example = Difference(
            service_id=service.route.id,
            version_id=replica.version_id,
            at=self._clock(),
            request_id=copy.request_id,
            method=copy.method.decode("latin-1"),
            path=copy.path.decode("latin-1"),
            live_status=copy.status,
            shadow_status=mirror.status,
            live_latency_s=copy.took_s,
            shadow_latency_s=mirror.took_s,
            live_body_sha256=hashlib.sha256(copy.answer).hexdigest(),
            shadow_body_sha256=hashlib.sha256(mirror.answer).hexdigest(),
        )
        self._examples.setdefault(service.route.id, deque(maxlen=EXAMPLES)).append(example)


class Mirror:
    """Waits for the answer to one copy (it is a back's owner)."""

    def __init__(self, shadows: Shadows, service: Service, replica: Replica, copy: Copy) -> None:
        self._shadows = shadows
        self.service = service
        self.replica = replica
        self.count = service.copies[replica]
        self.copy = copy
        self.is_head = copy.method == b"HEAD"
        self.status: int | None = None
        self.answer = b""
        self.took_s = 0.0
        self.back: Back | None = None
        self.timer: object = None
        self._began_s = time.perf_counter()
        self._parts: list[bytes] = []
        self._size = 0
        self._is_over = False

    def began(self, back: Back, status: int, reason: bytes, headers: Pairs) -> bool:
        del back, reason
        self.status = status
        framed = {b"content-length", b"transfer-encoding"}
        return not self.is_head and status not in {204, 304} and not any(name.lower() in framed for name, _ in headers)

    def piece(self, data: bytes) -> None:
        self._size += len(data)
        # More than any answer that is compared: it differs, whatever comes.
        if self._size <= 2 << 20:
            self._parts.append(data)

    def flush(self) -> None:
        return

    def done(self) -> None:
        if self.back is not None:
            self.back.rest()
        self._end()

    def lost(self, *, is_bad_answer: bool = False) -> None:
        del is_bad_answer
        self.status = None
        self._end()

    def give_up(self) -> None:
        """It took too long."""
        if self.back is not None and not self._is_over:
            self.back.close()
            self.lost()

    def upgraded(self, back: Back, headers: Pairs, rest: bytes) -> None:
        del headers, rest
        back.close()
        self.lost()

    def tunnelled(self, data: bytes) -> None:
        del data

    def hold(self) -> None:
        return

    def go_on(self) -> None:
        return

    def _end(self) -> None:
        if self._is_over:
            return
        self._is_over = True
        if self.timer is not None:
            self.timer.cancel()  # type: ignore[attr-defined]
        self.took_s = time.perf_counter() - self._began_s
        self.answer = b"".join(self._parts)
        self._shadows.compare(self)


def _are_equal(one: bytes, other: bytes) -> bool:
    if one == other:
        return True
    try:
        return bool(orjson.loads(one) == orjson.loads(other))
    except orjson.JSONDecodeError:
        return False
