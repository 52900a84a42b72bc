"""The gateway's process: takes its place, serves, and leaves when it is told to, replaced, or its home is gone."""

import asyncio
import contextlib
import json
import logging
import os
import secrets
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

from tidemill import __version__
from tidemill.gateway import sockets
from tidemill.gateway.access_log import AccessLog
from tidemill.gateway.control import SOCKET, Control
from tidemill.gateway.core import Core
from tidemill.gateway.following import Following, write_whole
from tidemill.gateway.front import Front
from tidemill.gateway.haproxy import running as haproxy
from tidemill.gateway.haproxy.plane import Plane
from tidemill.gateway.limits import Limits
from tidemill.gateway.office import Office
from tidemill.gateway.processes import start_of
from tidemill.gateway.tokens import Tokens
from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings

log = logging.getLogger(__name__)

RECORD = "gateway.json"
"""Who serves: its process and since when; written once it does."""
WATCH_S = 0.5
FIRST_LOOK_S = 10.0
CHILD_S = 3.0
PLANE = "haproxy"


async def run(settings: Settings, limits: Limits | None = None) -> None:
    """Serves until it leaves. Raises `sockets.PortTaken` or OSError where it cannot begin."""
    folder = settings.home / "gateway"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = Database(settings.effective_database_url, pool_size=4)
    access_log = AccessLog(folder / "access.log") if settings.gateway_access_log else None
    core = Core(
        asyncio.get_running_loop(),
        limits=limits,
        tokens=Tokens(db),
        access_log=access_log,
        trusted_proxies=settings.trusted_proxies,
    )
    process = _Process(settings, folder, core, Following(db, folder, core.routes.apply))
    try:
        await process.run()
    finally:
        core.close()
        if access_log is not None:
            access_log.close()
        db.close()


class _Process:
    def __init__(self, settings: Settings, folder: Path, core: Core, following: Following) -> None:
        self._folder = folder
        self._host = settings.gateway_host or settings.host
        self._ports = (settings.gateway_port, settings.gateway_grpc_port)
        self._plane_setting = settings.gateway_data_plane
        self._has_access_log = settings.gateway_access_log
        self._core = core
        self._following = following
        self._epoch = secrets.token_hex(8)
        self._leaving = asyncio.Event()
        self._is_home_gone = False
        self._plane: Plane | None = None
        self._listeners: list[socket.socket] = []
        """Where callers come in; ours to keep, whoever takes them in."""
        self._accepting: list[asyncio.Server] = []

    async def run(self) -> None:
        before = Control(self._folder).state()
        self._listeners = self._take_listeners(
            is_at_our_ports=before is not None and before.http_port == self._ports[0]
        )
        self._following.apply_kept()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LOOK_S):
                await self._following.look()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._leaving.set)
        await self._accept(is_ours=True)
        self._plane = self._find_plane(None if before is None else before.epoch)
        door = await self._open_grpc()
        office = self._open_office(door is not None)
        control = await self._take_place(office, before is not None)
        handover = self._offer()
        if self._plane is not None:
            await self._following.share(self._plane.spread)
            await self._plane.begin()
        beside = [asyncio.create_task(self._following.run()), asyncio.create_task(self._watch())]
        log.info("serving %s of table %d", self._ports, self._core.routes.revision)
        await self._leaving.wait()
        loop.remove_reader(handover.fileno())
        handover.close()
        await self._accept(is_ours=False)
        if self._plane is not None:
            await self._plane.leave()
        for listener in self._listeners:
            listener.close()
        await self._drain(door)
        for task in beside:
            task.cancel()
        control.close()
        if self._plane is not None:
            self._plane.end()
        if not self._is_home_gone:
            self._clear_place(office)
        self._following.close()

    def _take_listeners(self, *, is_at_our_ports: bool) -> list[socket.socket]:
        """Those of the gateway before us; new ones where there is none."""
        listeners = sockets.take_over(self._folder) if is_at_our_ports else None
        if listeners is not None:
            return listeners
        sockets.check_free(self._host, self._ports[1])
        deadline = time.monotonic() + CHILD_S
        while True:
            try:
                return sockets.listen(self._host, self._ports[0])
            except sockets.PortTaken:
                # The HAProxy of a gateway that was killed ends with it, a moment later.
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    async def _accept(self, *, is_ours: bool) -> None:
        """Takes callers in, or no longer. The sockets stay open either way."""
        loop = asyncio.get_running_loop()
        accepting, self._accepting = self._accepting, []
        if is_ours:
            self._accepting = [
                await loop.create_server(lambda: Front(self._core), sock=one.dup(), backlog=sockets.BACKLOG)
                for one in self._listeners
            ]
        for server in accepting:
            server.close()

    # HAProxy before us

    def _find_plane(self, before: str | None) -> Plane | None:
        """HAProxy where it is to be used; what gateways that were killed had for theirs is removed."""
        for left in self._folder.glob(f"{PLANE}-*"):
            if left.name != f"{PLANE}-{before}":
                shutil.rmtree(left, ignore_errors=True)
        if self._plane_setting == "embedded":
            return None
        try:
            if self._has_access_log:
                raise haproxy.Unusable("the access log is written by the gateway alone")
            program = haproxy.find_program()
        except haproxy.Unusable as error:
            if self._plane_setting == "haproxy":
                raise OSError(f"gateway_data_plane is haproxy: {error}") from None
            return None
        folder = self._folder / f"{PLANE}-{self._epoch}"
        return Plane(self._core, folder, program, self._listeners, self._on_plane)

    def _on_plane(self, is_up: bool) -> None:
        if not self._leaving.is_set():
            self._core.spawn(self._accept(is_ours=not is_up))

    async def _open_grpc(self) -> Any:
        try:
            from tidemill.gateway.grpc_door import GrpcDoor
        except ImportError:
            log.warning("grpcio is not installed: gRPC is not passed through")
            return None
        door = GrpcDoor(self._core)
        try:
            await door.open(self._host, self._ports[1])
        except RuntimeError as error:
            raise sockets.PortTaken(f"port {self._ports[1]}: {error}") from None
        return door

    def _open_office(self, has_grpc: bool) -> Office:
        return Office(
            self._core,
            self._folder,
            epoch=self._epoch,
            started_at=utc_now(),
            ports=(self._ports[0], self._ports[1] if has_grpc else None),
            look=self._following.look,
            leave=self._leaving.set,
            plane=self._plane,
            plane_setting=self._plane_setting,
        )

    async def _take_place(self, office: Office, has_predecessor: bool) -> asyncio.Server:
        """From here on we are the gateway; the one before is told to leave."""
        if has_predecessor:
            await asyncio.to_thread(Control(self._folder).drain)
        listener = sockets.listen_in(self._folder, SOCKET)
        server = await asyncio.start_unix_server(office.answer, sock=listener)
        record = {"pid": os.getpid(), "began": start_of(os.getpid()), "program": __version__, "epoch": self._epoch}
        write_whole(self._folder / RECORD, json.dumps(record).encode())
        return server

    def _offer(self) -> socket.socket:
        handover = sockets.listen_in(self._folder, sockets.HANDOVER)

        def give() -> None:
            with contextlib.suppress(OSError):
                sockets.hand_over(handover, self._listeners)

        asyncio.get_running_loop().add_reader(handover.fileno(), give)
        return handover

    async def _drain(self, door: Any) -> None:
        if self._is_home_gone:
            return
        closing = [self._core.drain()]
        if door is not None:
            closing.append(door.close(self._core.limits.drain_s))
        await asyncio.gather(*closing)

    async def _watch(self) -> None:
        """Leaves when the home is gone, at once; and when somebody else took our place without telling us."""
        while True:
            await asyncio.sleep(WATCH_S)
            try:
                record = json.loads((self._folder / RECORD).read_text("utf-8"))
            except OSError:
                self._is_home_gone = True
                self._leaving.set()
                return
            except ValueError:
                continue
            if record["epoch"] != self._epoch:
                self._leaving.set()

    def _clear_place(self, office: Office) -> None:
        with contextlib.suppress(OSError, ValueError):
            office.leave_counters()
            record = json.loads((self._folder / RECORD).read_text("utf-8"))
            if record["epoch"] == self._epoch:
                for name in (SOCKET, sockets.HANDOVER, RECORD):
                    (self._folder / name).unlink(missing_ok=True)
