"""One request as its caller's connection sees it: admitted or refused, delivered, answered, logged."""

import time
from typing import TYPE_CHECKING

from tidemill.gateway import access, answers
from tidemill.gateway.answers import Refusal
from tidemill.gateway.back import Pairs
from tidemill.gateway.body import Body
from tidemill.gateway.delivery import Delivery
from tidemill.gateway.headers import Asked, is_sane_request_id
from tidemill.gateway.reply import Reply
from tidemill.gateway.routing import Service

if TYPE_CHECKING:
    from tidemill.gateway.core import Core
    from tidemill.gateway.front import Front

HEALTH = b"/-/health"


class Exchange:
    """A request on its way. The front feeds it the body, and hears of its end."""

    __slots__ = (
        "_delivery", "_headers", "_is_finished", "_service", "asked", "began_s", "body", "core", "deadline_s",
        "early", "front", "is_started", "method", "reply", "request_id", "target",
    )  # fmt: skip

    def __init__(
        self, front: "Front", core: "Core", method: bytes, target: bytes, headers: Pairs, asked: Asked, *, is_1_1: bool
    ) -> None:
        self.front = front
        self.core = core
        self.method = method
        self.target = target
        self._headers = headers
        self.asked = asked
        self.is_started = self._is_finished = False
        self.began_s = time.perf_counter()
        self.deadline_s = 0.0
        """When we lose patience, by `time.monotonic`."""
        self._service: Service | None = None
        self._delivery: Delivery | None = None
        """Once it is admitted."""
        self.early = b""
        """What the caller sent before the connection was upgraded."""
        given = asked.request_id
        self.request_id = given if given is not None and is_sane_request_id(given) else core.new_request_id().encode()
        self.body = Body(core, asked)
        self.reply = Reply(core, self.body, self.request_id, method == b"HEAD", is_1_1)

    # What the front tells

    def start(self) -> None:
        """Decides about the request, and sends what there is of it."""
        self.is_started = True
        try:
            self._admit()
        except Refusal as refusal:
            self.refuse(refusal)

    def take(self, data: bytes) -> None:
        """More of the body."""
        body, service, delivery = self.body, self._service, self._delivery
        body.size_bytes += len(data)
        if self._is_finished:
            return
        if service is not None and body.size_bytes > service.body_max_bytes:
            if not self.reply.status:
                self._refuse_late(_too_large(service))
        elif delivery is not None:
            delivery.take(data)
        else:
            body.keep(data)
            if body.kept_bytes > self.core.limits.waiting_bytes:
                self.front.hold()

    def forward(self) -> None:
        """Sends on what came since; called when the front has read what there was."""
        if self._delivery is not None and not self._is_finished:
            self._delivery.forward()

    def cancel(self) -> None:
        """The caller went away."""
        if self._is_finished:
            return
        if self._delivery is not None:
            self._delivery.cancel()
            return
        if self._service is not None:
            self._service.count.cancelled += 1
        self.finish()

    def out_of_time(self) -> None:
        """Somebody was silent for too long."""
        service = self._service
        if self.reply.status or service is None:
            self.cut()
        elif not self.body.is_complete and not self.front.is_held:
            self._refuse_late(Refusal(408, "gateway_slow_request"))
        else:
            self.fail(Refusal(504, "gateway_timeout", timeout_s=f"{service.route.timeout_s:g}"))

    def hold_answer(self) -> None:
        """The caller does not take more for now."""
        if self._delivery is not None:
            self._delivery.hold_answer()

    def go_on_answering(self) -> None:
        if self._delivery is not None:
            self._delivery.go_on_answering()

    @property
    def wants_upgrade(self) -> bool:
        return self.asked.upgrade is not None

    def tunnel(self, data: bytes) -> None:
        """What the caller sends once the connection is upgraded."""
        if self._delivery is not None:
            self._delivery.tunnel(data)

    # Admission

    def _admit(self) -> None:
        asked, core = self.asked, self.core
        service, self.target = core.routes.find(self.target)
        self._service = service
        if service is None and self.target == HEALTH:
            self._answer(200, [b"Content-Type: application/json\r\n"], b'{"status":"ok"}')
            return
        if service is not None and service.cors:
            self.reply.cors = answers.cors_headers(service.cors, asked.origin)
            if self._is_allowed_preflight(service):
                self._answer(204, [answers.preflight_headers(self._headers)], None)
                return
        secret = asked.secret
        grant = access.decide(service, secret, self.front.origin.address_of(asked), core.tokens)
        assert service is not None
        if grant is not None:
            self._admitted(service, grant)
            return
        assert secret is not None
        self.deadline_s = time.monotonic() + service.route.timeout_s
        core.spawn(self._ask_for_token(service, secret))

    async def _ask_for_token(self, service: Service, secret: bytes) -> None:
        assert self.core.tokens is not None
        try:
            grant = await access.decide_by_token(service, secret, self.core.tokens)
            if not self._is_finished:
                self._admitted(service, grant)
        except Refusal as refusal:
            if not self._is_finished:
                self.refuse(refusal)

    def _admitted(self, service: Service, grant: access.Grant) -> None:
        asked = self.asked
        if grant.rate_per_s is not None:
            wait_s = self.core.rates.wait_s(service.route.id, grant.caller, grant.rate_per_s)
            if wait_s > 0:
                raise Refusal(429, "gateway_rate", retry_after_s=wait_s)
        if max(asked.length or 0, self.body.size_bytes) > service.body_max_bytes:
            raise _too_large(service)
        if service.route.access == "open":
            asked.pass_foreign_secrets()
        delivery = self._delivery = Delivery(self, service, self._make_head(service))
        if asked.expects and not self.body.is_complete:
            self.front.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        delivery.start()

    def _is_allowed_preflight(self, service: Service) -> bool:
        asked = self.asked
        if self.method != b"OPTIONS" or asked.preflight is None or asked.origin is None:
            return False
        return b"*" in service.cors or asked.origin in service.cors

    def _make_head(self, service: Service) -> bytes:
        """The request's head as every replica gets it."""
        asked = self.asked
        return b"".join((
            self.method, b" ", self.target, b" HTTP/1.1\r\n", *asked.parts, self.front.origin.forwarded(asked),
            service.prefix_header, b"X-Request-Id: ", self.request_id, b"\r\n", self.body.length_header(),
            b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" if asked.upgrade else b"\r\n",
        ))  # fmt: skip

    # Answering, which the delivery asks for too

    def refuse(self, refusal: Refusal) -> None:
        """Answers with an error of our own."""
        body, language = refusal.body(self.asked.language, self.request_id.decode())
        content = b"Content-Type: application/json\r\nContent-Language: %b\r\n" % language.encode()
        self._answer(refusal.status, [content, *refusal.headers()], body)

    def fail(self, refusal: Refusal) -> None:
        """Answers that no replica did."""
        count = None if self._delivery is None else self._delivery.give_up()
        if count is None and self._service is not None:
            count = self._service.count
        if count is not None:
            count.failed += 1
        self.refuse(refusal)

    def cut(self) -> None:
        """Half an answer is out: the connection is all that is left to break."""
        count = None if self._delivery is None else self._delivery.give_up()
        if count is not None:
            count.failed += 1
            count.answered(self.reply.status or 500, time.perf_counter() - self.began_s)
        self.front.transport.abort()
        self.finish()

    def finish(self) -> None:
        """It is over, one way or another."""
        self._is_finished = True
        if self.core.access_log is not None:
            self._log()
        delivery = self._delivery
        if delivery is not None:
            delivery.leave()
            # They know each other: kept so, both would wait for the garbage collector.
            self._delivery = None
        if self.body.kept_bytes:
            self.body.forget()
        self.front.finished(self)

    def _refuse_late(self, refusal: Refusal) -> None:
        """Refuses what a replica may have begun to hear."""
        if self._delivery is not None:
            self._delivery.give_up()
        self.refuse(refusal)

    def _answer(self, status: int, head: list[bytes], body: bytes | None) -> None:
        """An answer of our own."""
        self.reply.be(status, head, body)
        if not self.front.transport.is_closing():
            self.front.transport.write(self.reply.taken())
        if self._service is not None:
            self._service.count.answered(status, time.perf_counter() - self.began_s)
        self.finish()

    def _log(self) -> None:
        assert self.core.access_log is not None
        service, delivery = self._service, self._delivery
        self.core.access_log.write(
            request_id=self.request_id.decode(),
            service_id="" if service is None else service.route.id,
            replica_id="" if delivery is None else delivery.replica_id,
            method=self.method.decode("latin-1"),
            path=self.target.partition(b"?")[0].decode("latin-1"),
            status=self.reply.status,
            took_s=time.perf_counter() - self.began_s,
        )


def _too_large(service: Service) -> Refusal:
    return Refusal(413, "gateway_body_too_large", max_bytes=service.body_max_bytes)
