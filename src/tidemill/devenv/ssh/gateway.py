"""The gateway itself: an event loop in a thread of its own, so that a busy web server slows no terminal down."""

import asyncio
import logging
import socket
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import asyncssh
from fastapi import FastAPI

from tidemill.devenv.shells import in_thread
from tidemill.devenv.ssh import entry as entries
from tidemill.devenv.ssh.channel import Channel
from tidemill.devenv.ssh.entry import Entry
from tidemill.devenv.ssh.host_key import load_host_key
from tidemill.doors.activity import Activity
from tidemill.doors.rights import LOOK_EVERY_S
from tidemill.engines.base import Engine, EngineError
from tidemill.kernel import i18n

log = logging.getLogger("tidemill.ssh")

# It would log the commands people run.
asyncssh.set_log_level(logging.WARNING)

CONNECTIONS_MAX = 1000
STRANGERS_PER_ADDRESS = 20
"""Connections from one address that have not said who they are yet."""
LOGIN_S = 60
CHANNELS_MAX = 100
"""Of one connection."""
_HERE = {"localhost", "127.0.0.1", "::1", "0.0.0.0", ""}  # noqa: S104 - asked for, not bound


class Gateway:
    """Serves on `listeners`, which are opened by whoever starts the server; without them there is no gateway."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.listeners: Sequence[socket.socket] = ()
        self.visitors: set[Visitor] = set()
        self.strangers: Counter[str] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._is_over = threading.Event()

    def run(self) -> None:
        """Serves until `close`."""
        if self.listeners and not self._is_over.is_set():
            asyncio.run(self._serve())

    def close(self) -> None:
        self._is_over.set()
        if self._loop is not None and self._stopped is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stopped.set)

    async def _serve(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        if self._is_over.is_set():
            return
        key = load_host_key(self.app.state.settings.home)
        # Copies: a turn that failed must not close what the next one needs.
        acceptors = [await self._listen(listener.dup(), key) for listener in self.listeners]
        watching = asyncio.create_task(self._watch())
        await self._stopped.wait()
        watching.cancel()
        for acceptor in acceptors:
            acceptor.close()
        for visitor in list(self.visitors):
            visitor.connection.abort()
        await asyncio.gather(watching, *(visitor.gone.wait() for visitor in self.visitors), return_exceptions=True)

    async def _listen(self, listener: socket.socket, key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
        listener.setblocking(False)
        return await asyncssh.listen(
            sock=listener,
            server_factory=lambda: Visitor(self),
            server_host_keys=[key],
            server_version="Tidemill",
            login_timeout=LOGIN_S,
            keepalive_interval=30,
            keepalive_count_max=4,
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            line_editor=False,
            encoding=None,
            reuse_address=None,
        )

    async def _watch(self) -> None:
        """Whoever may not stay is shown out."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            inside = {visitor.entry for visitor in self.visitors if visitor.entry is not None and visitor.is_in}
            try:
                gone = await in_thread(entries.no_longer, self.app, inside)
            except Exception:
                log.exception("could not look whether SSH connections may stay")
                continue
            for visitor in [one for one in self.visitors if one.entry in gone]:
                visitor.connection.disconnect(asyncssh.DISC_BY_APPLICATION, "no longer allowed")


class Visitor(asyncssh.SSHServer):
    """One connection, from the moment it is made."""

    connection: asyncssh.SSHServerConnection

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._app = gateway.app
        self._name = ""
        self.address = ""
        self.entry: Entry | None = None
        self.is_in = False
        self.gone = asyncio.Event()
        self._inside = ExitStack()
        self._channels = 0

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.address = str(conn.get_extra_info("peername", ("",))[0])
        self._gateway.visitors.add(self)
        self._gateway.strangers[self.address] += 1
        too_many = self._gateway.strangers[self.address] > STRANGERS_PER_ADDRESS
        if too_many or len(self._gateway.visitors) > CONNECTIONS_MAX:
            conn.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._gateway.visitors.discard(self)
        if not self.is_in:
            self._no_stranger()
        self._inside.close()
        self.gone.set()

    def begin_auth(self, username: str) -> bool:
        self._name = username
        return True

    def password_auth_supported(self) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    async def validate_password(self, username: str, password: str) -> bool:
        self.entry = await in_thread(entries.by_password, self._app, username, password, self.address)
        return self.entry is not None

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        self.entry = await in_thread(entries.by_key, self._app, username, key.get_fingerprint())
        return self.entry is not None

    def auth_completed(self) -> None:
        assert self.entry is not None
        self.is_in = True
        self._no_stranger()
        if self.entry.workload_id is not None:
            activity: Activity = self._app.state.doors_activity
            self._inside.enter_context(activity.inside(self.entry.workload_id))
        noting = in_thread(entries.note_entry, self._app, self.entry, self.address)
        self._noting = asyncio.get_running_loop().create_task(_logged(noting))

    def session_requested(self) -> Any:
        entry = self.entry
        self._channels += 1
        if entry is None or self._channels > CHANNELS_MAX:
            return False

        def on_close() -> None:
            self._channels -= 1

        words = " / ".join(i18n.message("environment_not_running", language) for language in i18n.LANGUAGES)
        channel = Channel(
            self._engine, lambda: entries.find_place(self._app, entry), not_running=words, on_close=on_close
        )
        return self.connection.create_server_channel(encoding=None), channel

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> Any:
        """Ports of the environment's own nodes, and of nothing else."""
        del orig_host, orig_port
        return self._forward(dest_host, dest_port)

    async def _forward(self, host: str, port: int) -> Any:
        assert self.entry is not None
        place = await in_thread(entries.find_place, self._app, self.entry)
        if place is None:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, "the environment does not run")
        try:
            address = await in_thread(self._address, place.launch_id, host, port)
        except EngineError as error:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, str(error)) from None
        return await self.connection.forward_connection(*address)

    def _address(self, launch_id: str, host: str, port: int) -> tuple[str, int]:
        node = 0
        if host.lower() not in _HERE:
            seen = self._engine.seen([launch_id])[launch_id]
            named = {name: one.index for one in seen.nodes for name in (one.host_name, one.address) if name}
            if host not in named:
                raise EngineError(f"{host} is not a node of this environment")
            node = named[host]
        return self._engine.address(launch_id, node, port)

    @property
    def _engine(self) -> Engine:
        engine: Engine = self._app.state.engine
        return engine

    def _no_stranger(self) -> None:
        self._gateway.strangers[self.address] -= 1
        if self._gateway.strangers[self.address] <= 0:
            del self._gateway.strangers[self.address]


async def _logged(work: Any) -> None:
    try:
        await work
    except Exception:
        log.exception("could not note an SSH connection")
