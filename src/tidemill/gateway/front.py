"""Connections of callers: requests read one after another, each given to an exchange."""

import asyncio
import time
from collections import deque
from typing import Any

import httptools

from tidemill.gateway.answers import Refusal, status_line
from tidemill.gateway.core import Core
from tidemill.gateway.exchange import Exchange
from tidemill.gateway.headers import Asked, BadRequest, Pairs, read_request
from tidemill.gateway.origin import NoProxyLine, Origin, ProxyLine

_OVERHEAD = 16
"""Bytes of chunk headers that we take for each byte of a body, beside a head's worth."""


class Front(asyncio.Protocol):
    """A caller's connection. Requests that come before the last one is answered wait their turn."""

    __slots__ = (
        "_body_raw_bytes", "_core", "_current", "_deadline_s", "_head_bytes", "_headers", "_in_head", "_is_lingering",
        "_is_paused", "_is_tunnel", "_newest", "_parser", "_proxy_line", "_refusal", "_target", "_waiting", "is_held",
        "origin", "transport",
    )  # fmt: skip

    def __init__(self, core: Core, *, is_behind_proxy: bool = False) -> None:
        self._core = core
        self._proxy_line = ProxyLine() if is_behind_proxy else None
        """With which the connection is to begin; none once it was read."""
        self._parser = httptools.HttpRequestParser(self)
        self._current: Exchange | None = None
        self._newest: Exchange | None = None
        """The one whose body is arriving."""
        self._waiting: deque[Exchange] = deque()
        self._refusal: Refusal | None = None
        self._headers: Pairs = []
        self._target = b""
        self._head_bytes = self._body_raw_bytes = 0
        self._in_head = self._is_lingering = self._is_tunnel = self._is_paused = False
        self.is_held = False
        """Whether the exchange cannot take more for now."""
        self.transport: Any = None

    # What the transport tells

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        peer = transport.get_extra_info("peername")
        self.origin = Origin(self._core, peer[0] if isinstance(peer, tuple) else "")
        self._deadline_s = time.monotonic() + self._core.limits.head_s
        self._core.fronts.add(self)

    def data_received(self, data: bytes) -> None:
        if self._proxy_line is not None:
            data = self._after_proxy_line(self._proxy_line, data)
            if not data:
                return
        if self._is_tunnel:
            assert self._current is not None
            self._current.tunnel(data)
            return
        if self._is_lingering:
            return
        newest = self._newest
        if newest is None:
            self._head_bytes += len(data)
        else:
            self._body_raw_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._on_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refusal = self._refusal or Refusal(400, "gateway_bad_request")
        if self._refusal is not None or (self._newest is not None and newest is self._newest) or self._in_head:
            self._check_limits()
        current = self._current
        if current is None:
            return
        if current.is_started:
            current.forward()
        else:
            current.start()

    def eof_received(self) -> bool:
        return False

    def pause_writing(self) -> None:
        if self._current is not None:
            self._current.hold_answer()

    def resume_writing(self) -> None:
        if self._current is not None:
            self._current.go_on_answering()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._core.fronts.discard(self)
        self._waiting.clear()
        current, self._current = self._current, None
        if current is not None:
            current.cancel()

    # What the parser tells

    def on_message_begin(self) -> None:
        self._headers = []
        self._target = b""
        self._in_head = True
        self._deadline_s = time.monotonic() + self._core.limits.head_s

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self._refusal is not None:
            return
        self._newest = exchange = self._read_head()
        self._head_bytes = 0
        if exchange is None:
            return
        if self._current is None:
            self._current = exchange
        else:
            self._waiting.append(exchange)
            self._adjust()

    def on_body(self, data: bytes) -> None:
        if self._newest is not None:
            self._newest.take(data)

    def on_message_complete(self) -> None:
        if self._newest is not None:
            self._newest.body.is_complete = True
            self._newest = None
            self._body_raw_bytes = 0

    # What the exchange tells

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def hold(self) -> None:
        """Reads no more until `go_on`."""
        self.is_held = True
        self._adjust()

    def go_on(self) -> None:
        self.is_held = False
        self._adjust()

    def finished(self, exchange: Exchange) -> None:
        """Its answer is out (or never will be)."""
        if exchange is not self._current:
            return
        self._current = None
        self.is_held = False
        if not exchange.reply.keeps_alive:
            if exchange.body.is_complete:
                self.transport.close()
            else:
                self._linger()
        elif self._waiting:
            self._core.loop.call_soon(self._advance)
        else:
            if self._is_paused:
                self._adjust()
            if not self._in_head:
                self._deadline_s = time.monotonic() + self._core.limits.idle_s

    def begin_tunnel(self) -> None:
        self._is_tunnel = True

    # Time

    def sweep(self, now_s: float, idle_since_s: float) -> None:
        """Ends what took too long. `idle_since_s`: connections that rest since then are closed."""
        current = self._current
        if current is not None:
            if current.deadline_s and current.deadline_s < now_s:
                current.out_of_time()
        elif self._deadline_s < now_s:
            if self._in_head and not self._is_lingering:
                self._say(Refusal(408, "gateway_slow_request"))
            self.transport.abort() if self._is_lingering else self.transport.close()
        elif not self._in_head and self._deadline_s - self._core.limits.idle_s < idle_since_s:
            self.transport.close()

    def end(self) -> None:
        """Closes at once."""
        self.transport.abort()

    @property
    def is_busy(self) -> bool:
        return self._current is not None

    # Inside

    def _after_proxy_line(self, line: ProxyLine, data: bytes) -> bytes:
        try:
            rest = line.take(data)
        except NoProxyLine:
            self.transport.abort()
            return b""
        if line.is_read:
            self._proxy_line = None
            if line.address is not None:
                self.origin = Origin(self._core, line.address)
        return rest

    def _read_head(self) -> Exchange | None:
        limits = self._core.limits
        if len(self._headers) > limits.headers or self._head_bytes > limits.head_bytes:
            size = len(self._target) + sum(len(name) + len(value) + 4 for name, value in self._headers)
            if len(self._headers) > limits.headers or size > limits.head_bytes:
                self._refusal = Refusal(431, "gateway_head_too_large")
                return None
        version = self._parser.get_http_version()
        if version not in {"1.1", "1.0"}:
            self._refusal = Refusal(505, "gateway_version")
            return None
        is_1_1 = version == "1.1"
        target = self._target if self._target.startswith(b"/") else _path_of(self._target)
        try:
            asked = read_request(self._headers, is_http_1_1=is_1_1)
        except (BadRequest, ValueError):
            target = b""
        if not target:
            self._refusal = Refusal(400, "gateway_bad_request")
            return None
        method = self._parser.get_method()
        exchange = Exchange(self, self._core, method, target, self._headers, asked, is_1_1=is_1_1)
        exchange.reply.keeps_alive = self._parser.should_keep_alive()
        if asked.upgrade is not None:
            self._check_upgrade(exchange, asked)
        return exchange

    def _check_upgrade(self, exchange: Exchange, asked: Asked) -> None:
        """Only WebSockets are upgraded. The parser leaves the body of such a request unread, so it may have none."""
        if not self._parser.should_upgrade():
            asked.upgrade = None
            return
        if asked.length or asked.is_chunked:
            self._refusal = Refusal(400, "gateway_bad_request")
        if asked.upgrade != b"websocket":
            asked.upgrade = None
            exchange.reply.keeps_alive = False

    def _on_upgrade(self, rest: bytes) -> None:
        """A WebSocket's first words may have come with the request; after any other such request we close."""
        if self._current is not None and self._current.wants_upgrade and not self._waiting:
            self._current.early = rest
        elif rest and self._refusal is None:
            self._refusal = Refusal(400, "gateway_bad_request")

    def _check_limits(self) -> None:
        limits = self._core.limits
        if self._refusal is None and self._in_head and self._head_bytes > limits.head_bytes:
            self._refusal = Refusal(431, "gateway_head_too_large")
        newest = self._newest
        if self._refusal is None and newest is not None and newest.body.is_chunked:
            size_bytes = newest.body.size_bytes
            if self._body_raw_bytes - size_bytes > limits.head_bytes + size_bytes * _OVERHEAD:
                self._refusal = Refusal(400, "gateway_bad_request")
        if self._refusal is not None:
            self._refuse(self._refusal)

    def _refuse(self, refusal: Refusal) -> None:
        """What came cannot be read: nothing after it can, either."""
        current, self._current = self._current, None
        self._waiting.clear()
        self._newest = None
        if current is not None:
            # The answer of a request before this one may be under way; ours would be taken for its.
            is_unanswered = current.is_started and current.reply.status > 0
            current.cancel()
            if is_unanswered:
                self.transport.close()
                return
        self._say(refusal)
        self._linger()

    def _say(self, refusal: Refusal) -> None:
        body, language = refusal.body(None, request_id := self._core.new_request_id())
        self.transport.write(
            status_line(refusal.status)
            + b"Content-Type: application/json\r\nContent-Language: %b\r\nX-Request-Id: %b\r\nContent-Length: %d\r\n"
            b"Connection: close\r\n\r\n%b" % (language.encode(), request_id.encode(), len(body), body)
        )

    def _linger(self) -> None:
        """Listens a little longer: closing on somebody who still speaks would take back what we said."""
        self._is_lingering = True
        self._deadline_s = time.monotonic() + self._core.limits.linger_s
        self._in_head = False
        if self.transport.is_closing():
            return
        self._adjust()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _advance(self) -> None:
        if self._current is None and self._waiting and not self.transport.is_closing():
            self._current = self._waiting.popleft()
            self._adjust()
            self._current.start()

    def _adjust(self) -> None:
        should_pause = (self.is_held or bool(self._waiting)) and not self._is_lingering
        if should_pause == self._is_paused or self.transport.is_closing():
            return
        self._is_paused = should_pause
        if should_pause:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()


def _path_of(target: bytes) -> bytes:
    """The path of a target that names the whole address; nothing where it has none."""
    scheme, mark, rest = target.partition(b"://")
    if not mark or scheme.lower() not in {b"http", b"https"}:
        return b""
    _, slash, path = rest.partition(b"/")
    return slash + path
