"""gRPC passed through: messages go as the bytes they are, whatever the method; with metadata, deadlines and status.

On the wire all four kinds of method are a stream of messages each way, so one kind of relay carries them all. The next
message is taken when the one before is passed on, so whoever is slow slows the other side down. A message itself is
held whole: grpcio gives nobody a part of one.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio

from tidemill.gateway import access
from tidemill.gateway.answers import Refusal
from tidemill.gateway.core import Core
from tidemill.gateway.headers import OUR_SECRETS, is_sane_request_id
from tidemill.gateway.routing import Replica, Service

SERVICE = "tidemill-service"
STICKY = "x-tidemill-sticky"
_MESSAGE_MAX_BYTES = 512 << 20
_CHANNEL = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
)
_SERVER = (
    ("grpc.max_receive_message_length", _MESSAGE_MAX_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", 64 << 10),
    ("grpc.so_reuseport", 1),
)
_NOT_FOR_REPLICAS = frozenset({
    SERVICE, STICKY, "authorization", "x-api-key", "cookie", "user-agent", "te", "x-request-id", "x-forwarded-for",
    "x-tidemill",
})  # fmt: skip
_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    401: grpc.StatusCode.UNAUTHENTICATED,
    404: grpc.StatusCode.NOT_FOUND,
    413: grpc.StatusCode.RESOURCE_EXHAUSTED,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    502: grpc.StatusCode.UNAVAILABLE,
    503: grpc.StatusCode.UNAVAILABLE,
    504: grpc.StatusCode.DEADLINE_EXCEEDED,
}
_STATUSES = {
    grpc.StatusCode.OK: 200,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 400,
    grpc.StatusCode.OUT_OF_RANGE: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNIMPLEMENTED: 404,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
    grpc.StatusCode.UNAVAILABLE: 503,
}
"""How an outcome is counted; the others count as 500."""


class GrpcDoor:
    """The gateway's port for gRPC."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._channels: dict[Replica, grpc.aio.Channel] = {}
        self._server = grpc.aio.server(options=_SERVER)
        self._server.add_generic_rpc_handlers((_Handlers(self),))

    async def open(self, host: str, port: int) -> int:
        """Listens; the port, which others of our kind may share. Raises RuntimeError where it cannot."""
        found: int = self._server.add_insecure_port(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        await self._server.start()
        return found

    async def close(self, grace_s: float) -> None:
        """Takes nothing new, and lets calls end."""
        await self._server.stop(grace_s)
        for channel in self._channels.values():
            await channel.close()

    async def relay(self, method: str, requests: AsyncIterator[bytes], context: Any) -> None:
        """Carries one call."""
        metadata = list(context.invocation_metadata() or ())
        given = _first(metadata, "x-request-id")
        is_sane = is_sane_request_id(given.encode("latin-1", "replace"))
        request_id = given if is_sane else self._core.new_request_id()
        try:
            service = await self._admit(metadata, context)
            await _Call(self, service, method, requests, context, metadata, request_id).run()
        except Refusal as refusal:
            language = _first(metadata, "accept-language").encode("latin-1", "replace")
            trailing = (("x-request-id", request_id),)
            await context.abort(_CODES.get(refusal.status, grpc.StatusCode.UNKNOWN), refusal.words(language), trailing)

    def channel(self, replica: Replica) -> grpc.aio.Channel:
        """A channel to the replica; those of replicas that left are closed."""
        for gone in [one for one in self._channels if one.is_gone and not one.open]:
            self._core.spawn(self._channels.pop(gone).close())
        if replica not in self._channels:
            address = f"{replica.host}:{replica.grpc_port}"
            self._channels[replica] = grpc.aio.insecure_channel(address, options=_CHANNEL)
        return self._channels[replica]

    @property
    def core(self) -> Core:
        return self._core

    async def _admit(self, metadata: list[tuple[str, Any]], context: Any) -> Service:
        name = _first(metadata, SERVICE)
        project, _, own = name.partition("/")
        service = self._core.routes.find_named(project, own)
        secret = _secret(metadata)
        address = _address(context.peer())
        grant = access.decide(service, secret, address, self._core.tokens)
        assert service is not None
        if grant is None:
            assert secret is not None
            assert self._core.tokens is not None
            grant = await access.decide_by_token(service, secret, self._core.tokens)
        if grant.rate_per_s is not None:
            wait_s = self._core.rates.wait_s(service.route.id, grant.caller, grant.rate_per_s)
            if wait_s > 0:
                raise Refusal(429, "gateway_rate", retry_after_s=wait_s)
        return service


class _Handlers(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Says of every method that it is ours."""

    def __init__(self, door: GrpcDoor) -> None:
        self._door = door

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method

        async def relay(requests: AsyncIterator[bytes], context: Any) -> None:
            await self._door.relay(method, requests, context)

        return grpc.stream_stream_rpc_method_handler(relay)


class _Call:
    """One call on its way; tried on another replica where that is safe."""

    def __init__(
        self,
        door: GrpcDoor,
        service: Service,
        method: str,
        requests: AsyncIterator[bytes],
        context: Any,
        metadata: list[tuple[str, Any]],
        request_id: str,
    ) -> None:
        self._door = door
        self._service = service
        self._method = method
        self._requests = requests
        self._context = context
        self._metadata = metadata
        self._request_id = request_id
        self._kept: list[bytes] | None = []
        """Messages up to now, to be sent again; None when they are too much for that, or are being answered."""
        self._kept_bytes = self._size = 0
        self._is_whole = False
        self._has_answered = False
        self._refusal: Refusal | None = None

    async def run(self) -> None:
        """Carries the call; raises `Refusal` where no replica answers."""
        try:
            await self._run()
        finally:
            self._forget()

    async def _run(self) -> None:
        sticky = _first(self._metadata, STICKY)
        track = self._service.choose(sticky.encode() if sticky else None)
        tried = [replica for one in self._service.tracks for replica in one.replicas if replica.grpc_port is None]
        for _ in range(self._door.core.limits.attempts):
            replica = None if track is None else self._service.pick(track, tried)
            if replica is None:
                break
            if await self._try(replica):
                return
            tried.append(replica)
        self._service.count.failed += 1
        self._service.count.answered(503, 0.0)
        raise Refusal(503, "gateway_no_replica", retry_after_s=1)

    async def _try(self, replica: Replica) -> bool:
        """Whether the call is over; False where another replica may be asked."""
        count = replica.count
        replica.open += 1
        count.in_flight += 1
        began_s = time.perf_counter()
        call = self._door.channel(replica).stream_stream(self._method)(
            metadata=self._for_replica(), timeout=self._context.time_remaining()
        )
        sending = asyncio.create_task(self._send(call))
        try:
            await self._receive(call, replica)
            code = await call.code()
            if code == grpc.StatusCode.UNAVAILABLE and self._may_go_elsewhere(await call.details() or ""):
                count.retried += 1
                replica.aside_until_s = time.monotonic() + self._door.core.limits.aside_s
                return False
            if self._refusal is not None:
                raise self._refusal
            count.answered(_STATUSES.get(code, 500), time.perf_counter() - began_s)
            await self._end(call, code)
            return True
        except asyncio.CancelledError:
            count.cancelled += 1
            raise
        finally:
            sending.cancel()
            call.cancel()
            replica.open -= 1
            count.in_flight -= 1
            count.bytes_in += self._size

    async def _send(self, call: Any) -> None:
        try:
            for message in list(self._kept or ()):
                await call.write(message)
            if not self._is_whole:
                async for message in self._requests:
                    self._note(message)
                    await call.write(message)
                self._is_whole = True
            await call.done_writing()
        except Refusal as refusal:
            self._refusal = refusal
            call.cancel()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return  # how the call ended is told where its answers are read

    def _note(self, message: bytes) -> None:
        self._size += len(message)
        if self._size > self._service.body_max_bytes:
            raise Refusal(413, "gateway_body_too_large", max_bytes=self._service.body_max_bytes)
        if self._kept is None:
            return
        core = self._door.core
        if self._size > core.limits.kept_bytes or core.kept_bytes + len(message) > core.limits.kept_total_bytes:
            self._forget()
            return
        self._kept.append(message)
        self._kept_bytes += len(message)
        core.kept_bytes += len(message)

    def _forget(self) -> None:
        self._door.core.kept_bytes -= self._kept_bytes
        self._kept, self._kept_bytes = None, 0

    async def _receive(self, call: Any, replica: Replica) -> None:
        count = replica.count
        try:
            while True:
                message = await call.read()
                if message is grpc.aio.EOF:
                    return
                await self._begin_answer(call, replica)
                count.bytes_out += len(message)
                await self._context.write(message)
        except grpc.aio.AioRpcError:
            return  # its code is asked for next
        except asyncio.CancelledError:
            if not call.done() or self._refusal is None:
                raise

    async def _begin_answer(self, call: Any, replica: Replica) -> None:
        if self._has_answered:
            return
        self._has_answered = True
        self._forget()
        own = (
            ("x-request-id", self._request_id),
            ("x-tidemill-version", str(replica.number)),
            ("x-tidemill-replica", replica.id),
        )
        theirs = [pair for pair in await call.initial_metadata() if pair[0] not in {name for name, _ in own}]
        await self._context.send_initial_metadata((*theirs, *own))

    async def _end(self, call: Any, code: grpc.StatusCode) -> None:
        trailing = tuple(await call.trailing_metadata() or ())
        if code == grpc.StatusCode.OK:
            self._context.set_trailing_metadata(trailing)
            return
        if not any(name == "x-request-id" for name, _ in trailing):
            trailing = (*trailing, ("x-request-id", self._request_id))
        await self._context.abort(code, await call.details() or "", trailing)

    def _may_go_elsewhere(self, details: str) -> bool:
        if self._has_answered or self._kept is None or self._refusal is not None:
            return False
        was_delivered = "failed to connect" not in details.lower()
        is_repeatable = self._service.route.retry_posts or bool(_first(self._metadata, "idempotency-key"))
        return is_repeatable or not was_delivered

    def _for_replica(self) -> tuple[tuple[str, Any], ...]:
        kept = [pair for pair in self._metadata if pair[0] not in _NOT_FOR_REPLICAS and not pair[0].startswith("grpc-")]
        if self._service.route.access == "open":
            kept += [pair for pair in self._metadata if _is_foreign_secret(*pair)]
        peer = _address(self._context.peer())
        return (*kept, ("x-request-id", self._request_id), ("x-forwarded-for", peer))


def _first(metadata: list[tuple[str, Any]], name: str) -> str:
    return next((value for key, value in metadata if key == name and isinstance(value, str)), "")


def _secret(metadata: list[tuple[str, Any]]) -> bytes | None:
    if key := _first(metadata, "x-api-key"):
        return key.strip().encode()
    authorization = _first(metadata, "authorization")
    if not authorization:
        return None
    scheme, _, secret = authorization.partition(" ")
    return secret.strip().encode() if scheme.lower() == "bearer" else b""


def _is_foreign_secret(name: str, value: Any) -> bool:
    ours = tuple(secret.decode() for secret in OUR_SECRETS)
    secret = str(value).rpartition(" ")[2]
    return name in {"authorization", "x-api-key"} and not secret.startswith(ours)


def _address(peer: str) -> str:
    """`ipv4:127.0.0.1:4711` without what is around."""
    return peer.partition(":")[2].rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]")
