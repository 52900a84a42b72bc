"""One request and its answer: admitted, sent to a replica, sent again where that is safe, and counted."""

import random
import time
from typing import TYPE_CHECKING

from tidemill.gateway import access, answers
from tidemill.gateway.answers import Refusal
from tidemill.gateway.back import Back, Pairs, connect, take_resting
from tidemill.gateway.counting import Count
from tidemill.gateway.headers import Asked, answer_parts, is_sane_request_id, upgrade_parts
from tidemill.gateway.routing import Replica, Service, Track

if TYPE_CHECKING:
    from tidemill.gateway.core import Core
    from tidemill.gateway.front import Front

_REPEATABLE = frozenset({b"GET", b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"TRACE"})
_LINES: dict[tuple[int, bytes], bytes] = {}
HEALTH = b"/-/health"


class Exchange:
    """A request on its way. The front feeds it the body; backs tell it of the answer (it is their owner)."""

    __slots__ = (
        "_asked", "_attempts", "_back", "_began_s", "_body_bytes", "_copy", "_copy_bytes", "_core", "_count",
        "_early", "_front", "_head", "_headers", "_is_chunked_in", "_is_chunked_out", "_is_connecting",
        "_is_end_sent", "_is_finished", "_kept", "_kept_bytes", "_method", "_out", "_replica", "_sent_pieces",
        "_service", "_status", "_target", "_track", "_tried", "_will_shadow", "deadline_s", "has_answered",
        "is_complete", "is_head", "is_http_1_1", "is_started", "keeps_alive", "request_id",
    )  # fmt: skip

    def __init__(
        self, front: "Front", core: "Core", method: bytes, target: bytes, headers: Pairs, asked: Asked, *, is_1_1: bool
    ) -> None:
        self._front = front
        self._core = core
        self._method = method
        self._target = target
        self._headers = headers
        self._asked = asked
        self.is_http_1_1 = is_1_1
        self.keeps_alive = True
        self.is_head = method == b"HEAD"
        self.is_started = self.is_complete = self.has_answered = False
        self._is_finished = self._is_connecting = self._is_chunked_out = self._will_shadow = False
        self._is_chunked_in = asked.is_chunked
        self._is_end_sent = False
        self._began_s = time.perf_counter()
        self.deadline_s = 0.0
        """When we lose patience, by `time.monotonic`."""
        self._service: Service | None = None
        self._count: Count
        self._track: Track | None = None
        self._replica: Replica | None = None
        self._back: Back | None = None
        self._tried: list[Replica] = []
        self._attempts = 0
        self._kept: list[bytes] | None = []
        """The body up to now, to be sent (again); None when it grew too large for that."""
        self._kept_bytes = self._body_bytes = self._sent_pieces = 0
        self._out: list[bytes] = []
        self._copy: list[bytes] | None = None
        self._copy_bytes = 0
        self._status = 0
        self._early = b""
        given = asked.request_id
        self.request_id = given.decode() if given is not None and is_sane_request_id(given) else core.new_request_id()

    # The front's side

    def start(self) -> None:
        """Decides about the request, and sends what there is of it."""
        self.is_started = True
        try:
            self._admit()
        except Refusal as refusal:
            self.refuse(refusal)

    def take(self, data: bytes) -> None:
        """More of the body."""
        self._body_bytes += len(data)
        if self._service is not None and self._body_bytes > self._service.body_max_bytes:
            if not self._is_finished and not self.has_answered:
                self._drop_back()
                self.refuse(self._too_large())
            return
        if self._is_finished:
            return
        kept = self._kept
        if kept is not None:
            kept.append(data)
            self._kept_bytes += len(data)
            self._core.kept_bytes += len(data)
            is_much = self._kept_bytes > self._core.limits.kept_bytes
            if self._back is not None and (is_much or self._core.kept_bytes > self._core.limits.kept_total_bytes):
                self._send_new()
                self._forget_body()
        elif self._back is not None:
            self._back.transport.write(self._framed(data))
        if self._back is None and self._kept_bytes > self._core.limits.waiting_bytes:
            self._front.hold()

    def forward(self) -> None:
        """Sends on what came since; called when the front has read what there was."""
        if self._back is not None and not self._is_finished:
            self._send_new()

    def cancel(self) -> None:
        """The caller went away."""
        if self._is_finished:
            return
        if self._status == 101:
            self._end_tunnel()
            return
        if self._replica is not None:
            self._count.cancelled += 1
        elif self._service is not None:
            self._service.count.cancelled += 1
        self._drop_back()
        self._finish()

    def out_of_time(self) -> None:
        """Somebody was silent for too long."""
        service = self._service
        if self.has_answered or service is None:
            self._cut()
        elif not self.is_complete and not self._front.is_held:
            self._drop_back()
            self.refuse(Refusal(408, "gateway_slow_request"))
        else:
            self._drop_back()
            self._fail(Refusal(504, "gateway_timeout", timeout_s=f"{service.route.timeout_s:g}"))

    def hold_answer(self) -> None:
        """The caller does not take more for now."""
        if self._back is not None:
            self._back.transport.pause_reading()
            self.deadline_s = time.monotonic() + self._core.limits.body_idle_s

    def go_on_answering(self) -> None:
        if self._back is not None:
            self._back.transport.resume_reading()
            self._be_patient()

    def refuse(self, refusal: Refusal) -> None:
        """Answers with an error of our own."""
        body, language = refusal.body(self._asked.language, self.request_id)
        content = b"Content-Type: application/json\r\nContent-Language: %b\r\n" % language.encode()
        self._answer(refusal.status, [content, *refusal.headers()], body)

    @property
    def wants_upgrade(self) -> bool:
        return self._asked.upgrade is not None

    @property
    def is_chunked(self) -> bool:
        return self._asked.is_chunked

    @property
    def body_bytes(self) -> int:
        return self._body_bytes

    def tunnel_later(self, data: bytes) -> None:
        """What the caller sent before the connection was upgraded."""
        self._early = data

    def tunnel(self, data: bytes) -> None:
        """What the caller sends once the connection is upgraded."""
        if data and self._back is not None:
            self._count.bytes_in += len(data)
            self._back.transport.write(data)

    # Admission

    def _admit(self) -> None:
        asked = self._asked
        service, self._target = self._core.routes.find(self._target)
        self._service = service
        if service is None and self._target == HEALTH:
            self._answer(200, [b"Content-Type: application/json\r\n"], b'{"status":"ok"}')
            return
        if service is not None and service.cors and self._is_allowed_preflight(service):
            self._answer(204, [answers.preflight_headers(self._headers)], None)
            return
        secret = asked.secret
        grant = access.decide(service, secret, self._front.caller_address(asked), self._core.tokens)
        if grant is not None:
            self._admitted(grant)
            return
        assert service is not None
        assert secret is not None
        self.deadline_s = time.monotonic() + service.route.timeout_s
        self._core.spawn(self._ask_for_token(service, secret))

    async def _ask_for_token(self, service: Service, secret: bytes) -> None:
        assert self._core.tokens is not None
        try:
            grant = await access.decide_by_token(service, secret, self._core.tokens)
            if not self._is_finished:
                self._admitted(grant)
        except Refusal as refusal:
            if not self._is_finished:
                self.refuse(refusal)

    def _admitted(self, grant: access.Grant) -> None:
        service, asked = self._service, self._asked
        assert service is not None
        if grant.rate_per_s is not None:
            wait_s = self._core.rates.wait_s(service.route.id, grant.caller, grant.rate_per_s)
            if wait_s > 0:
                raise Refusal(429, "gateway_rate", retry_after_s=wait_s)
        if (asked.length or 0) > service.body_max_bytes or self._body_bytes > service.body_max_bytes:
            raise self._too_large()
        if service.route.access == "open":
            asked.pass_foreign_secrets()
        self._track = service.choose(asked.sticky)
        self._head = self._make_head(service)
        if service.shadow is not None:
            self._decide_shadow(service)
        if asked.expects and not self.is_complete:
            self._front.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._dispatch()

    def _is_allowed_preflight(self, service: Service) -> bool:
        asked = self._asked
        if self._method != b"OPTIONS" or asked.preflight is None or asked.origin is None:
            return False
        return b"*" in service.cors or asked.origin in service.cors

    def _decide_shadow(self, service: Service) -> None:
        shadow = service.route.shadow
        if shadow is None or random.random() * 100 >= shadow.percent or self._asked.upgrade:  # noqa: S311
            return
        if (self._asked.length or 0) > self._core.limits.kept_bytes:
            self._core.shadows.skip(service)
            return
        self._will_shadow = True
        self._copy = []

    def _make_head(self, service: Service) -> bytes:
        """The request's head as every replica gets it."""
        asked = self._asked
        parts = [
            self._method, b" ", self._target, b" HTTP/1.1\r\n", *asked.parts, self._front.forwarded(asked),
            service.prefix_header, b"X-Request-Id: ", self.request_id.encode(), b"\r\n",
        ]  # fmt: skip
        if self._is_chunked_in and self.is_complete:
            # It is all here, so its length can be said.
            self._is_chunked_in = False
            parts.append(b"Content-Length: %d\r\n" % self._body_bytes)
        elif self._is_chunked_in:
            parts.append(b"Transfer-Encoding: chunked\r\n")
        elif asked.length is not None:
            parts.append(b"Content-Length: %d\r\n" % asked.length)
        parts.append(b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" if asked.upgrade else b"\r\n")
        return b"".join(parts)

    # Sending

    def _dispatch(self) -> None:
        service, track = self._service, self._track
        assert service is not None
        replica = None if track is None else service.pick(track, self._tried)
        if replica is None or self._attempts >= self._core.limits.attempts:
            self._fail(Refusal(503, "gateway_no_replica", retry_after_s=1))
            return
        self._attempts += 1
        self._replica = replica
        replica.open += 1
        # Its own: a replica may be counted under another version when the request ends.
        count = self._count = replica.count
        count.in_flight += 1
        self._be_patient()
        back = None
        if not self._asked.upgrade:
            limits = self._core.limits
            back = take_resting(replica, limits.pool_idle_s if self._may_repeat() else limits.pool_fresh_s)
        if back is not None:
            self._use(back)
            return
        self._is_connecting = True
        self._core.spawn(self._connect(replica))

    async def _connect(self, replica: Replica) -> None:
        try:
            back = await connect(replica, self._core.limits.connect_s)
        except OSError:
            if self._is_connecting and self._replica is replica:
                self._is_connecting = False
                self._set_aside(replica)
                self._try_another()
            return
        if self._is_finished or self._replica is not replica:
            back.close()
            return
        self._is_connecting = False
        self._use(back)

    def _use(self, back: Back) -> None:
        self._back = back
        self._is_end_sent = False
        kept = self._kept
        if kept:
            self._sent_pieces = len(kept)
            pieces = [self._framed(piece) for piece in kept] if self._is_chunked_in else kept
            back.send(self, b"".join((self._head, *pieces)) + self._end())
        else:
            self._sent_pieces = 0
            back.send(self, self._head + self._end() if self._is_chunked_in else self._head)
        if self._front.is_held and not self._front.has_waiting:
            self._front.go_on()

    def _send_new(self) -> None:
        """Sends the pieces that are kept and were not sent yet."""
        kept, back = self._kept, self._back
        assert back is not None
        new = [] if kept is None else [self._framed(piece) for piece in kept[self._sent_pieces :]]
        if kept is not None:
            self._sent_pieces = len(kept)
        end = self._end()
        if new or end:
            back.transport.write(b"".join(new) + end)
            self._be_patient()

    def _end(self) -> bytes:
        """The mark after the last chunk, once."""
        if not self._is_chunked_in or not self.is_complete or self._is_end_sent:
            return b""
        self._is_end_sent = True
        return b"0\r\n\r\n"

    def _framed(self, data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data) if self._is_chunked_in else data

    def _be_patient(self) -> None:
        assert self._service is not None
        limits = self._core.limits
        patience_s = self._service.route.timeout_s if self.is_complete else limits.body_idle_s
        self.deadline_s = time.monotonic() + patience_s

    def _may_repeat(self) -> bool:
        """Whether the request may be sent again although a replica has got it."""
        assert self._service is not None
        if self._kept is None:
            return False
        return self._method in _REPEATABLE or self._asked.has_idempotency_key or self._service.route.retry_posts

    def _set_aside(self, replica: Replica) -> None:
        replica.aside_until_s = time.monotonic() + self._core.limits.aside_s
        self._tried.append(replica)

    def _try_another(self) -> None:
        replica = self._replica
        assert replica is not None
        self._count.retried += 1
        self._leave(replica)
        self._dispatch()

    # What backs tell

    def began(self, back: Back, status: int, reason: bytes, headers: Pairs) -> bool:
        parts, length = answer_parts(headers)
        self._status = status
        self.has_answered = True
        has_body = not (self.is_head or status in {204, 304})
        line = _LINES.get((status, reason))
        if line is None:
            line = answers.status_line(status, reason)
            if len(_LINES) < 1000:
                _LINES[status, reason] = line
        out = self._out
        out.append(line)
        out += parts
        if length is not None:
            out.append(b"Content-Length: %d\r\n" % length)
        elif has_body and self.is_http_1_1:
            self._is_chunked_out = True
            out.append(b"Transfer-Encoding: chunked\r\n")
        elif has_body:
            self.keeps_alive = False
        out.append(back.replica.headers)
        self._end_head()
        if not has_body or length is not None:
            return False
        return not any(name.lower() == b"transfer-encoding" for name, _ in headers)

    def piece(self, data: bytes) -> None:
        if self._copy is not None:
            self._remember(data)
        if self._is_chunked_out:
            self._out += (b"%x\r\n" % len(data), data, b"\r\n")
        else:
            self._out.append(data)

    def flush(self) -> None:
        if self._out and not self._is_finished:
            data = b"".join(self._out)
            self._out.clear()
            self._count.bytes_out += len(data)
            self._be_patient()
            self._front.transport.write(data)

    def done(self) -> None:
        if self._is_finished:
            return
        if self._is_chunked_out:
            self._out.append(b"0\r\n\r\n")
        back, replica = self._back, self._replica
        assert back is not None
        assert replica is not None
        self.flush()
        took_s = time.perf_counter() - self._began_s
        self._count.answered(self._status, took_s)
        self._back = None
        if self.is_complete:
            back.rest()
        else:
            # It answered without hearing all; what we would still send it would be taken for another request.
            back.close()
            self.keeps_alive = False
        if self._will_shadow and self.is_complete:
            self._shadow(took_s)
        self._finish()

    def lost(self, *, is_bad_answer: bool = False) -> None:
        back, self._back = self._back, None
        replica, service = self._replica, self._service
        if self._is_finished or replica is None or service is None:
            return
        if self._status == 101:
            self._end_tunnel()
            return
        if self.has_answered:
            self._cut()
            return
        if is_bad_answer:
            self._fail(Refusal(502, "gateway_bad_answer"))
            return
        was_fresh = back is None or not back.is_reused
        if was_fresh:
            self._set_aside(replica)
        if self._may_repeat():
            self._try_another()
        else:
            self._fail(Refusal(502, "gateway_replica_lost"))

    def upgraded(self, back: Back, headers: Pairs, rest: bytes) -> None:
        if not self._asked.upgrade:
            self._drop_back()
            self._fail(Refusal(502, "gateway_bad_answer"))
            return
        self.has_answered = True
        self._status = 101
        self._out += (answers.status_line(101), *upgrade_parts(headers), back.replica.headers)
        self.keeps_alive = True
        self._end_head()
        self._out.append(rest)
        self.flush()
        self._count.answered(101, time.perf_counter() - self._began_s)
        self.deadline_s = float("inf")
        self._front.begin_tunnel()
        self.tunnel(self._early)

    def tunnelled(self, data: bytes) -> None:
        self._count.bytes_out += len(data)
        self._front.transport.write(data)

    def hold(self) -> None:
        self._front.hold()

    def go_on(self) -> None:
        self._be_patient_again()
        self._front.go_on()

    def _be_patient_again(self) -> None:
        if self.deadline_s != float("inf"):
            self._be_patient()

    # Ending

    def _end_head(self) -> None:
        asked, service = self._asked, self._service
        if service is not None and service.cors:
            self._out.append(answers.cors_headers(service.cors, asked.origin))
        self._out += (b"X-Request-Id: ", self.request_id.encode(), b"\r\n")
        if self._core.is_draining or not self.is_complete:
            self.keeps_alive = self.keeps_alive and self._status == 101
        if not self.keeps_alive:
            self._out.append(b"Connection: close\r\n\r\n")
        elif not self.is_http_1_1:
            self._out.append(b"Connection: keep-alive\r\n\r\n")
        else:
            self._out.append(b"\r\n")

    def _answer(self, status: int, head: list[bytes], body: bytes | None) -> None:
        """An answer of our own."""
        self.has_answered = True
        self._status = status
        self._out = [answers.status_line(status), *head]
        if body is not None:
            self._out.append(b"Content-Length: %d\r\n" % len(body))
        self._end_head()
        if body is not None and not self.is_head:
            self._out.append(body)
        if not self._front.transport.is_closing():
            self._front.transport.write(b"".join(self._out))
        if self._service is not None:
            self._service.count.answered(status, time.perf_counter() - self._began_s)
        self._finish()

    def _fail(self, refusal: Refusal) -> None:
        """Answers that no replica did."""
        count: Count | None = None if self._replica is None else self._count
        if count is None and self._service is not None:
            count = self._service.count
        if count is not None:
            count.failed += 1
        self.refuse(refusal)

    def _cut(self) -> None:
        """Half an answer is out: the connection is all that is left to break."""
        if self._replica is not None:
            self._count.failed += 1
            self._count.answered(self._status or 500, time.perf_counter() - self._began_s)
        self._drop_back()
        self._front.transport.abort()
        self._finish()

    def _end_tunnel(self) -> None:
        """One side hung up: what it said last still reaches the other."""
        back, self._back = self._back, None
        if back is not None:
            back.owner = None
            back.transport.close()
        self._front.transport.close()
        self._finish()

    def _finish(self) -> None:
        self._is_finished = True
        if self._core.access_log is not None:
            self._log()
        replica = self._replica
        if replica is not None:
            self._count.bytes_in += self._body_bytes
            self._leave(replica)
        self._forget_body()
        self._front.finished(self)

    def _leave(self, replica: Replica) -> None:
        replica.open -= 1
        self._count.in_flight -= 1
        self._replica = None

    def _drop_back(self) -> None:
        back, self._back = self._back, None
        self._is_connecting = False
        if back is not None:
            back.close()

    def _forget_body(self) -> None:
        if self._kept is not None:
            self._core.kept_bytes -= self._kept_bytes
            self._kept = None
            self._kept_bytes = 0
        if not self._is_finished:
            self._will_shadow = False

    def _remember(self, data: bytes) -> None:
        assert self._copy is not None
        self._copy_bytes += len(data)
        if self._copy_bytes > self._core.limits.kept_bytes:
            self._copy = None
            self._will_shadow = False
        else:
            self._copy.append(data)

    def _shadow(self, took_s: float) -> None:
        assert self._service is not None
        self._core.shadows.send(
            self._service,
            head=self._head,
            body=b"".join(self._framed(piece) for piece in self._kept or ())
            + (b"0\r\n\r\n" if self._is_chunked_in else b""),
            method=self._method,
            path=self._target.partition(b"?")[0],
            request_id=self.request_id,
            status=self._status,
            answer=b"".join(self._copy or ()),
            took_s=took_s,
        )

    def _too_large(self) -> Refusal:
        assert self._service is not None
        return Refusal(413, "gateway_body_too_large", max_bytes=self._service.body_max_bytes)

    def _log(self) -> None:
        assert self._core.access_log is not None
        replica, service = self._replica, self._service
        self._core.access_log.write(
            request_id=self.request_id,
            service_id="" if service is None else service.route.id,
            replica_id="" if replica is None else replica.id,
            method=self._method.decode("latin-1"),
            path=self._target.partition(b"?")[0].decode("latin-1"),
            status=self._status,
            took_s=time.perf_counter() - self._began_s,
        )
