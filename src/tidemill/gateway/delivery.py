"""One admitted request and a replica: sent to the one with least to do, to another where that is safe, and counted."""

import time
from typing import TYPE_CHECKING

from tidemill.gateway.answers import Refusal
from tidemill.gateway.back import Back, Pairs, connect, take_resting
from tidemill.gateway.counting import Count
from tidemill.gateway.routing import Replica, Service

if TYPE_CHECKING:
    from tidemill.gateway.exchange import Exchange

_REPEATABLE = frozenset({b"GET", b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"TRACE"})


class Delivery:
    """Carries the request to a replica and its answer back (it is the owner of backs). It has a replica until it is
    over; how it ended the exchange hears."""

    __slots__ = (
        "_attempts", "_back", "_body", "_core", "_count", "_exchange", "_front", "_head", "_replica", "_reply",
        "_sample", "_service", "_track", "_tried", "is_head",
    )  # fmt: skip

    def __init__(self, exchange: "Exchange", service: Service, head: bytes) -> None:
        self._exchange = exchange
        self._core = exchange.core
        self._front = exchange.front
        self._body = exchange.body
        self._reply = exchange.reply
        self._service = service
        self._head = head
        self.is_head = exchange.reply.is_head
        self._count: Count
        self._replica: Replica | None = None
        self._back: Back | None = None
        self._tried: tuple[Replica, ...] = ()
        self._attempts = 0
        self._track = service.choose(exchange.asked.sticky)
        self._sample = None if service.shadow is None else self._core.shadows.sample(service, exchange.asked)

    # The exchange's side

    def start(self) -> None:
        """Sends the request to a replica; to the next one where it was with one before."""
        track = self._track
        replica = None if track is None else self._service.pick(track, self._tried)
        if replica is None or self._attempts >= self._core.limits.attempts:
            self._exchange.fail(Refusal(503, "gateway_no_replica", retry_after_s=1))
            return
        self._attempts += 1
        self._replica = replica
        replica.open += 1
        # Its own: a replica may be counted under another version when the request ends.
        count = self._count = replica.count
        count.in_flight += 1
        self._be_patient()
        back = None
        if not self._exchange.asked.upgrade:
            limits = self._core.limits
            back = take_resting(replica, limits.pool_idle_s if self._may_repeat() else limits.pool_fresh_s)
        if back is not None:
            self._use(back)
            return
        self._core.spawn(self._connect(replica))

    def take(self, data: bytes) -> None:
        """More of the body."""
        body, back = self._body, self._back
        if body.pieces is not None:
            body.keep(data)
            if back is not None and body.is_too_much:
                self.forward()
                body.forget()
                self._sample = None
        elif back is not None:
            back.transport.write(body.framed(data))
        if back is None and body.kept_bytes > self._core.limits.waiting_bytes:
            self._front.hold()

    def forward(self) -> None:
        """Sends on what came since."""
        if self._back is not None and (news := self._body.news()):
            self._back.transport.write(news)
            self._be_patient()

    def cancel(self) -> None:
        """The caller went away."""
        if self._reply.status == 101:
            self._end_tunnel()
            return
        self._count.cancelled += 1
        self.give_up()
        self._exchange.finish()

    def give_up(self) -> Count | None:
        """Waits for no answer any more; where the request was counted, if a replica had it."""
        back, self._back = self._back, None
        if back is not None:
            back.close()
        return None if self._replica is None else self._count

    def leave(self) -> None:
        """It is over."""
        replica = self._replica
        if replica is not None:
            count = self._count
            count.bytes_in += self._body.size_bytes
            count.in_flight -= 1
            replica.open -= 1
            self._replica = None

    def hold_answer(self) -> None:
        """The caller does not take more for now."""
        if self._back is not None:
            self._back.transport.pause_reading()
            self._exchange.deadline_s = time.monotonic() + self._core.limits.body_idle_s

    def go_on_answering(self) -> None:
        if self._back is not None:
            self._back.transport.resume_reading()
            self._be_patient()

    def tunnel(self, data: bytes) -> None:
        """What the caller sends once the connection is upgraded."""
        if data and self._back is not None:
            self._count.bytes_in += len(data)
            self._back.transport.write(data)

    @property
    def replica_id(self) -> str:
        return "" if self._replica is None else self._replica.id

    # What backs tell

    def began(self, back: Back, status: int, reason: bytes, headers: Pairs) -> bool:
        return self._reply.begin(status, reason, headers, back.replica.headers)

    def piece(self, data: bytes) -> None:
        if self._sample is not None and not self._sample.keep(data):
            self._sample = None
        self._reply.piece(data)

    def flush(self) -> None:
        if self._replica is not None and (data := self._reply.taken()):
            self._count.bytes_out += len(data)
            self._be_patient()
            self._front.transport.write(data)

    def done(self) -> None:
        if self._replica is None:
            return
        reply, body, count = self._reply, self._body, self._count
        back, self._back = self._back, None
        assert back is not None
        if data := reply.last():
            count.bytes_out += len(data)
            self._front.transport.write(data)
        took_s = time.perf_counter() - self._exchange.began_s
        count.answered(reply.status, took_s)
        if body.is_complete:
            back.rest()
        else:
            # It answered without hearing all; what we would still send it would be taken for another request.
            back.close()
            reply.keeps_alive = False
        if self._sample is not None and body.is_complete:
            self._shadow(self._sample.answer, took_s)
        self._exchange.finish()

    def lost(self, *, is_bad_answer: bool = False) -> None:
        back, self._back = self._back, None
        replica = self._replica
        if replica is None:
            return
        if self._reply.status == 101:
            self._end_tunnel()
            return
        if self._reply.status:
            self._exchange.cut()
            return
        if is_bad_answer:
            self._exchange.fail(Refusal(502, "gateway_bad_answer"))
            return
        was_fresh = back is None or not back.is_reused
        if was_fresh:
            self._set_aside(replica)
        if self._may_repeat():
            self._try_another(replica)
        else:
            self._exchange.fail(Refusal(502, "gateway_replica_lost"))

    def upgraded(self, back: Back, headers: Pairs, rest: bytes) -> None:
        exchange = self._exchange
        if not exchange.asked.upgrade:
            exchange.fail(Refusal(502, "gateway_bad_answer"))
            return
        self._reply.upgrade(headers, back.replica.headers, rest)
        self.flush()
        self._count.answered(101, time.perf_counter() - exchange.began_s)
        exchange.deadline_s = float("inf")
        self._front.begin_tunnel()
        self.tunnel(exchange.early)

    def tunnelled(self, data: bytes) -> None:
        self._count.bytes_out += len(data)
        self._front.transport.write(data)

    def hold(self) -> None:
        self._front.hold()

    def go_on(self) -> None:
        if self._exchange.deadline_s != float("inf"):
            self._be_patient()
        self._front.go_on()

    # Inside

    async def _connect(self, replica: Replica) -> None:
        try:
            back = await connect(replica, self._core.limits.connect_s)
        except OSError:
            if self._replica is replica:
                self._set_aside(replica)
                self._try_another(replica)
            return
        if self._replica is replica:
            self._use(back)
        else:
            back.close()

    def _use(self, back: Back) -> None:
        self._back = back
        back.send(self, self._body.after(self._head))
        if self._front.is_held and not self._front.has_waiting:
            self._front.go_on()

    def _be_patient(self) -> None:
        patience_s = self._service.route.timeout_s if self._body.is_complete else self._core.limits.body_idle_s
        self._exchange.deadline_s = time.monotonic() + patience_s

    def _may_repeat(self) -> bool:
        """Whether the request may be sent again although a replica has got it."""
        if self._body.pieces is None:
            return False
        exchange = self._exchange
        return exchange.method in _REPEATABLE or exchange.asked.has_idempotency_key or self._service.route.retry_posts

    def _set_aside(self, replica: Replica) -> None:
        replica.aside_until_s = time.monotonic() + self._core.limits.aside_s
        self._tried = (*self._tried, replica)

    def _try_another(self, replica: Replica) -> None:
        self._count.retried += 1
        self._count.in_flight -= 1
        replica.open -= 1
        self._replica = None
        self.start()

    def _end_tunnel(self) -> None:
        """One side hung up: what it said last still reaches the other."""
        back, self._back = self._back, None
        if back is not None:
            back.owner = None
            back.transport.close()
        self._front.transport.close()
        self._exchange.finish()

    def _shadow(self, answer: bytes, took_s: float) -> None:
        exchange = self._exchange
        self._core.shadows.send(
            self._service,
            head=self._head,
            body=self._body.whole(),
            method=exchange.method,
            path=exchange.target.partition(b"?")[0],
            request_id=exchange.request_id.decode(),
            status=self._reply.status,
            answer=answer,
            took_s=took_s,
        )
