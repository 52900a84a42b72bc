"""What all connections of a gateway share."""

import asyncio
import ipaddress
import itertools
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from tidemill.gateway.access import TokenOffice
from tidemill.gateway.counting import Counts
from tidemill.gateway.limits import Limits
from tidemill.gateway.rates import Rates
from tidemill.gateway.routing import Replica, Routes
from tidemill.gateway.shadowing import Shadows

if TYPE_CHECKING:
    from tidemill.gateway.access_log import AccessLog
    from tidemill.gateway.front import Front

SWEEP_S = 0.25
_FORGET_EVERY = 240


class Core:
    """Routes, counts, limits, and who is connected. Made and used on one event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        limits: Limits | None = None,
        tokens: TokenOffice | None = None,
        access_log: "AccessLog | None" = None,
        trusted_proxies: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.loop = loop
        self.limits = limits or Limits()
        self.tokens = tokens
        self.access_log = access_log
        self.counts = Counts()
        self.leaving: set[Replica] = set()
        """Replicas that left the table and still have requests."""
        self.routes = Routes(self.counts, on_leave=self.leaving.add)
        self.rates = Rates(clock)
        self.shadows = Shadows(self)
        self.fronts: set[Front] = set()
        self.is_draining = False
        self.kept_bytes = 0
        self._trusted = [ipaddress.ip_network(one, strict=False) for one in trusted_proxies]
        self._tasks: set[asyncio.Task[None]] = set()
        self._ids = itertools.count()
        self._id_prefix = secrets.token_hex(6)
        self._idle_since_s = float("-inf")
        self._sweeps = 0
        self._sweeping = loop.call_later(SWEEP_S, self._sweep)

    def new_request_id(self) -> str:
        """Different from all others, of this gateway and of those before it."""
        return f"{self._id_prefix}{next(self._ids):08x}"

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Does something beside; nothing waits for it."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def is_trusted(self, address: str) -> bool:
        """Whether the address is of a proxy that we believe."""
        if not self._trusted:
            return False
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._trusted)

    @property
    def open_requests(self) -> int:
        return sum(front.is_busy for front in self.fronts)

    def open_by_replica(self) -> dict[str, int]:
        """How many requests each replica has that has any."""
        self.leaving = {replica for replica in self.leaving if replica.open}
        found: dict[str, int] = {}
        for replica in (*self.routes.replicas.values(), *self.leaving):
            if replica.open:
                found[replica.id] = found.get(replica.id, 0) + replica.open
        return found

    async def drain(self) -> None:
        """Lets every request end. A resting connection may bring one more for a while: its caller may be sending."""
        self.is_draining = True
        now_s = time.monotonic()
        until_s = now_s + self.limits.drain_s
        while self.fronts and time.monotonic() < until_s:
            if time.monotonic() > now_s + self.limits.drain_idle_s:
                self._idle_since_s = float("inf")
            await asyncio.sleep(0.02)
        self.close()

    def close(self) -> None:
        """Ends everything at once."""
        self._sweeping.cancel()
        for front in list(self.fronts):
            front.end()
        for replica in self.routes.replicas.values():
            replica.leave()
        for task in list(self._tasks):
            task.cancel()

    def _sweep(self) -> None:
        self._sweeping = self.loop.call_later(SWEEP_S, self._sweep)
        now_s = time.monotonic()
        for front in list(self.fronts):
            front.sweep(now_s, self._idle_since_s)
        for replica in self.routes.replicas.values():
            self._close_rested(replica, now_s - self.limits.pool_idle_s)
        self._sweeps += 1
        if self._sweeps % _FORGET_EVERY == 0:
            self.routes.forget()
        if self.access_log is not None:
            self.access_log.flush()

    @staticmethod
    def _close_rested(replica: Replica, since_s: float) -> None:
        idle = replica.idle
        while idle and idle[0].rested_since_s < since_s:
            idle.pop(0).close()
