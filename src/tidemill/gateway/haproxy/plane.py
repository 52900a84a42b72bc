"""Keeping HAProxy in front of a gateway: started, told of every table, watched, and ended."""

import asyncio
import contextlib
import functools
import itertools
import logging
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from tidemill.gateway import sockets
from tidemill.gateway.core import Core
from tidemill.gateway.front import Front
from tidemill.gateway.haproxy import config, running
from tidemill.gateway.haproxy.admin import AdminError
from tidemill.gateway.haproxy.calls import Calls, Tally
from tidemill.gateway.haproxy.running import Running, Unusable
from tidemill.gateway.haproxy.wanted import Known, steps, want
from tidemill.gateway.schemas import RoutingTable

log = logging.getLogger(__name__)

WATCH_S = 0.25
_LOOK_EVERY = 8
_AGAIN_MAX_S = 30.0


class Plane:
    """HAProxy before the gateway. Whenever it cannot be used, the gateway takes callers in itself (`on_change`)."""

    def __init__(
        self, core: Core, folder: Path, program: str, listeners: list[socket.socket], on_change: Callable[[bool], None]
    ) -> None:
        self._core = core
        self._folder = folder
        self._program = program
        self._listeners = listeners
        self._on_change = on_change
        self._tally = Tally()
        self._doors: list[asyncio.Server] = []
        self._running: Running | None = None
        self._retired: Running | None = None
        self._table = RoutingTable()
        self._known = Known()
        self._turn = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._open: dict[str, int] = {}
        self._watching: asyncio.Task[None] | None = None

    @property
    def is_up(self) -> bool:
        return self._running is not None

    async def begin(self) -> None:
        """Opens the doors for what HAProxy brings and tells, starts one, and keeps one running."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        loop = asyncio.get_running_loop()
        inner = sockets.listen_in(self._folder, config.INNER)
        calls = sockets.listen_in(self._folder, config.CALLS)
        self._doors = [
            await loop.create_unix_server(
                lambda: Front(self._core, is_behind_proxy=True), sock=inner, backlog=sockets.BACKLOG
            ),
            await loop.create_unix_server(lambda: Calls(self._tally), sock=calls),
        ]
        try:
            await self._start()
        except (Unusable, AdminError, OSError) as error:
            log.warning("the gateway serves alone: %s", error)
        self._watching = asyncio.create_task(self._watch())

    async def spread(self, table: RoutingTable) -> None:
        """Tells HAProxy of a table. When it returns, no replica that left the table is given anything new."""
        async with self._turn:
            self._table = table
            if self._running is not None:
                try:
                    await self._tell(self._running)
                except AdminError as error:
                    log.warning("HAProxy was not told: %s", error)
                    await self._give_up(self._running)

    async def look(self) -> None:
        """Sees how many calls are under way, what was answered, and which keys were used."""
        if self._running is not None:
            await self._read(self._running, self._backends())

    @property
    def open_requests(self) -> int:
        return sum(self._open.values())

    def open_by_replica(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for slot, count in self._open.items():
            if slot in self._known.servers:
                replica_id = self._known.servers[slot][0]
                found[replica_id] = found.get(replica_id, 0) + count
        return found

    async def leave(self) -> None:
        """Has HAProxy take no more callers in, and bring those it has to the gateway."""
        if self._watching is not None:
            self._watching.cancel()
        async with self._turn:
            # It is told of no further table: all it has goes through the gateway.
            self._retired, self._running = self._running, None
            if self._retired is not None:
                await self._retired.retire(functools.partial(self._read, self._retired, self._backends(), is_last=True))

    def end(self) -> None:
        """Ends HAProxy at once."""
        if self._watching is not None:
            self._watching.cancel()
        for one in (self._running, self._retired):
            if one is not None:
                one.end()
        for door in self._doors:
            door.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _start(self) -> None:
        started = await running.start(self._folder, self._program, self._listeners)
        async with self._turn:
            self._known = Known()
            self._tally.begin_anew()
            try:
                await self._tell(started)
            except AdminError:
                started.end()
                raise
            self._running = started
        log.info("HAProxy (process %d) takes callers in", started.pid)
        self._on_change(True)

    async def _tell(self, found: Running) -> None:
        wanted = want(self._table, self._known)
        await self._read(found, self._backends())
        self._count(wanted)
        for commands in steps(self._known, wanted):
            await found.admin.tell(commands)
        left = self._known.servers.keys() - wanted.servers.keys()
        for slot in left:
            wanted.maps[config.REPLICAS][slot] = self._known.servers[slot][0]
        servers = {**{slot: self._known.servers[slot] for slot in left}, **wanted.servers}
        self._known = Known(wanted.maps, servers, set(left))

    def _backends(self) -> set[str]:
        return {config.backend_of(slot) for slot in self._known.servers}

    async def _read(self, found: Running, backends: set[str], *, is_last: bool = False) -> None:
        """What it counted. Where it does not answer, what was known stays known."""
        if not backends:
            return
        async with self._reading:
            with contextlib.suppress(AdminError):
                totals = await found.admin.totals(backends)
                self._tally.see(totals, is_last=is_last)
                self._open = {slot: one.open for slot, one in totals.items() if one.open}
                used = await found.admin.map_keys(config.map_file(config.USED))
                self._core.routes.used_keys.update(opener.partition("/")[2] for opener in used if "/" in opener)
                await found.admin.tell(f"del map {config.map_file(config.USED)} {opener}" for opener in used)

    def _count(self, wanted: Known) -> None:
        """Sees to it that calls are counted where the table has their replicas now."""
        counts = {(one.id, one.host, one.port): one.count for one in self._core.routes.replicas.values()}
        for slot, address in wanted.servers.items():
            if (count := counts.get(address)) is not None:
                self._tally.assign(slot.encode(), count)
                self._tally.by_backend[config.backend_of(slot).encode()] = self._core.counts.of(count.key[0])

    async def _watch(self) -> None:
        wait_s = 1.0
        for turn in itertools.count():
            await asyncio.sleep(WATCH_S)
            found = self._running
            if found is not None and found.is_there:
                wait_s = 1.0
                await self._sweep(found)
                if turn % _LOOK_EVERY == 0:
                    await self.look()
                continue
            try:
                if found is not None:
                    log.warning("HAProxy (process %d) is gone", found.pid)
                    await self._give_up(found)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _AGAIN_MAX_S)
                await self._start()
            except (Unusable, AdminError, OSError) as error:
                log.warning("HAProxy: %s", error)

    async def _sweep(self, found: Running) -> None:
        """Frees the servers that were set aside and have no calls left."""
        if not self._known.aside or self._turn.locked():
            return
        async with self._turn:
            with contextlib.suppress(AdminError):
                under_way = await found.admin.open_by_server()
                free = sorted(self._known.aside - under_way.keys())
                await found.admin.tell(f"del map {config.map_file(config.REPLICAS)} {slot}" for slot in free)
                for slot in free:
                    self._known.aside.discard(slot)
                    self._known.servers.pop(slot, None)
                    self._known.maps[config.REPLICAS].pop(slot, None)

    async def _give_up(self, found: Running) -> None:
        """The gateway takes callers in itself; this HAProxy, if it still runs, brings it what it has."""
        self._running = None
        last = functools.partial(self._read, found, self._backends(), is_last=True)
        self._known = Known()
        self._on_change(False)
        await found.retire(last)
        self._tally.begin_anew()
        self._open = {}
