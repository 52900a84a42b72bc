"""Connections to replicas: one request after another, each answer read as it comes."""

import asyncio
import time
from typing import Any, Protocol

import httptools

from tidemill.gateway.routing import Replica

Pairs = list[tuple[bytes, bytes]]


class Owner(Protocol):
    """Whoever waits for an answer. `began` says whether the answer ends only with the connection."""

    is_head: bool

    def began(self, back: "Back", status: int, reason: bytes, headers: Pairs) -> bool: ...

    def piece(self, data: bytes) -> None: ...

    def flush(self) -> None: ...

    def done(self) -> None: ...

    def lost(self, *, is_bad_answer: bool = False) -> None: ...

    def upgraded(self, back: "Back", headers: Pairs, rest: bytes) -> None: ...

    def tunnelled(self, data: bytes) -> None: ...

    def hold(self) -> None: ...

    def go_on(self) -> None: ...


class Back(asyncio.Protocol):
    """A connection to a replica."""

    __slots__ = (
        "_has_extra", "_headers", "_is_complete", "_is_interim", "_is_tunnel", "_keeps_alive", "_parser", "_reason",
        "_until_close", "is_reused", "owner", "replica", "rested_since_s", "transport",
    )  # fmt: skip

    def __init__(self, replica: Replica) -> None:
        self.replica = replica
        self.owner: Owner | None = None
        self.transport: Any = None
        self.is_reused = False
        self.rested_since_s = 0.0
        self._parser = httptools.HttpResponseParser(self)
        self._is_tunnel = self._has_extra = False
        self._headers: Pairs = []
        self._reason = b""
        self._is_complete = self._is_interim = self._until_close = self._keeps_alive = False

    def send(self, owner: Owner, data: bytes) -> None:
        """Begins a request."""
        self.owner = owner
        self._clear()
        self.transport.write(data)

    def rest(self) -> None:
        """Waits for the next request, or closes where there cannot be one."""
        self.owner = None
        if self._keeps_alive and not self._has_extra and not self.replica.is_gone and not self.transport.is_closing():
            self.is_reused = True
            self.rested_since_s = time.monotonic()
            self.replica.idle.append(self)
        else:
            self.transport.close()

    def close(self) -> None:
        """Closes, and tells nobody."""
        self.owner = None
        self.transport.abort()

    # What the transport tells

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        owner = self.owner
        if owner is None:
            self.transport.abort()
            return
        if self._is_tunnel:
            owner.tunnelled(data)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._is_tunnel = True
            owner.upgraded(self, self._headers, data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            if not self._is_complete:
                self._fail(owner)
                return
            self._keeps_alive = False
        if not self._is_complete:
            owner.flush()
            return
        owner.done()

    def pause_writing(self) -> None:
        if self.owner is not None:
            self.owner.hold()

    def resume_writing(self) -> None:
        if self.owner is not None:
            self.owner.go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        owner, self.owner = self.owner, None
        if owner is None:
            if self in self.replica.idle:
                self.replica.idle.remove(self)
        elif self._until_close:
            owner.done()
        else:
            owner.lost()

    # What the parser tells

    def on_message_begin(self) -> None:
        if self._is_complete:
            self._has_extra = True
        self._headers = []
        self._reason = b""

    def on_status(self, reason: bytes) -> None:
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if self._has_extra:
            return
        if status < 200:
            self._is_interim = status != 101
            return
        owner = self.owner
        if owner is None:
            return
        self._until_close = owner.began(self, status, self._reason, self._headers)
        if owner.is_head:
            # The parser waits for a body that will not come; the next answer gets another one.
            self._keeps_alive = self._parser.should_keep_alive()
            self._is_complete = True
            self._parser = httptools.HttpResponseParser(self)

    def on_body(self, data: bytes) -> None:
        if self._is_complete:
            self._has_extra = True
        elif self.owner is not None:
            self.owner.piece(data)

    def on_message_complete(self) -> None:
        if self._is_interim:
            self._is_interim = False
        elif not self._is_complete and self._parser.get_status_code() != 101:
            self._is_complete = True
            self._keeps_alive = self._parser.should_keep_alive()

    def _clear(self) -> None:
        self._headers = []
        self._reason = b""
        self._is_complete = self._is_interim = self._until_close = self._keeps_alive = False

    def _fail(self, owner: Owner) -> None:
        self.owner = None
        self.transport.abort()
        owner.lost(is_bad_answer=True)


def take_resting(replica: Replica, within_s: float) -> Back | None:
    """A connection that rested no longer than that."""
    idle = replica.idle
    while idle:
        back = idle.pop()
        if back.rested_since_s < time.monotonic() - within_s:
            # Those below rested longer still; the sweep closes them.
            idle.append(back)
            return None
        if not back.transport.is_closing():
            return back
    return None


async def connect(replica: Replica, within_s: float) -> Back:
    """A new connection; raises OSError (a time-out is one)."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(within_s):
        _, back = await loop.create_connection(lambda: Back(replica), replica.host, replica.port)
    return back
