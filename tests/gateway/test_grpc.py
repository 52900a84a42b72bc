"""gRPC passes through: all kinds of calls, metadata, status, deadlines; and keys hold there too."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
import pytest

from tests.gateway.stage import KEY, Stage, replica, run, service
from tidemill.gateway.grpc_door import GrpcDoor

NAMED = (("tidemill-service", "tides/boats"),)
MINE = (*NAMED, ("x-api-key", KEY))


class Far(grpc.GenericRpcHandler):
    """Echoes what it gets."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: list[dict[str, Any]] = []

    def service(self, details: Any) -> Any:
        async def one(request: bytes, context: Any) -> bytes:
            self.seen.append(dict(context.invocation_metadata()))
            if request == b"fail":
                await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not so", (("why", "because"),))
            if request == b"sleep":
                await asyncio.sleep(30)
            await context.send_initial_metadata((("early", "1"),))
            context.set_trailing_metadata((("late", self.name),))
            return b"echo " + request

        async def many(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
            async for request in requests:
                yield b"echo " + request

        if details.method.endswith("/Many"):
            return grpc.stream_stream_rpc_method_handler(many)
        return grpc.unary_unary_rpc_method_handler(one)


class Grpc(Stage):
    """A stage with gRPC at both ends."""

    async def __aenter__(self) -> "Grpc":
        await super().__aenter__()
        self.door = GrpcDoor(self.core)
        self.grpc_port = await self.door.open("127.0.0.1", 0)
        self._stack.push_async_callback(self.door.close, 0)
        self.channel = await self._stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{self.grpc_port}"))
        return self

    async def far(self, name: str = "far") -> tuple[int, Far]:
        server = grpc.aio.server()
        far = Far(name)
        server.add_generic_rpc_handlers((far,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        self._stack.push_async_callback(server.stop, 0)
        return port, far

    def one(self, request: bytes, **more: Any) -> Any:
        return self.channel.unary_unary("/a.B/One")(request, **more)


def test_a_unary_call_passes_with_metadata_status_and_trailers() -> None:
    async def body() -> None:
        async with Grpc() as stage:
            port, far = await stage.far()
            stage.serve(service(replica(1, grpc_port=port)))
            call = stage.one(b"hello", metadata=(*MINE, ("own", "2")))
            assert await call == b"echo hello"
            early, late = dict(await call.initial_metadata()), dict(await call.trailing_metadata())
            assert (early["early"], early["x-tidemill-replica"], early["x-tidemill-version"]) == ("1", "r1", "1")
            assert late["late"] == "far"
            assert far.seen[0]["own"] == "2"
            assert not {"x-api-key", "tidemill-service"} & far.seen[0].keys()
            assert far.seen[0]["x-request-id"] == early["x-request-id"]
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await stage.one(b"fail", metadata=MINE)
            assert (failed.value.code(), failed.value.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "not so")
            assert dict(failed.value.trailing_metadata())["why"] == "because"
            with pytest.raises(grpc.aio.AioRpcError) as late_error:
                await stage.one(b"sleep", metadata=MINE, timeout=0.3)
            assert late_error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
            assert (stage.count().requests["2xx"], stage.count().requests["4xx"]) == (1, 1)

    run(body())


def test_a_stream_passes_both_ways_message_by_message() -> None:
    async def body() -> None:
        async with Grpc() as stage:
            port, _ = await stage.far()
            stage.serve(service(replica(1, grpc_port=port)))
            call = stage.channel.stream_stream("/a.B/Many")(metadata=MINE)
            for word in (b"one", b"two", b"x" * 3_000_000):
                await call.write(word)
                assert await call.read() == b"echo " + word
            await call.done_writing()
            assert await call.read() is grpc.aio.EOF
            assert await call.code() == grpc.StatusCode.OK

    run(body())


def test_strangers_are_refused_and_limits_hold() -> None:
    async def body() -> None:
        async with Grpc() as stage:
            port, far = await stage.far()
            stage.serve(service(replica(1, grpc_port=port), body_max_bytes=1000))

            async def code(request: bytes, *metadata: tuple[str, str]) -> grpc.StatusCode:
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await stage.one(request, metadata=metadata)
                found: grpc.StatusCode = refused.value.code()
                return found

            assert await code(b"a", *NAMED) == grpc.StatusCode.UNAUTHENTICATED
            assert await code(b"a", ("tidemill-service", "tides/none")) == grpc.StatusCode.UNAUTHENTICATED
            assert await code(b"a") == grpc.StatusCode.UNAUTHENTICATED
            assert await code(b"a", *NAMED, ("authorization", "Bearer tms_wrong")) == grpc.StatusCode.NOT_FOUND
            assert far.seen == []
            assert await code(b"x" * 1001, *MINE) == grpc.StatusCode.RESOURCE_EXHAUSTED

    run(body())


def test_a_dead_replica_is_passed_over() -> None:
    async def body() -> None:
        async with Grpc() as stage:
            port, _ = await stage.far()
            stage.serve(service(replica(1, "dead", grpc_port=1), replica(1, "http-only"), replica(1, grpc_port=port)))
            for _ in range(6):
                assert await stage.one(b"hello", metadata=MINE) == b"echo hello"
            assert stage.count().requests["2xx"] == 6
            stage.serve(service(replica(1, "dead", grpc_port=1)))
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await stage.one(b"hello", metadata=MINE)
            assert failed.value.code() == grpc.StatusCode.UNAVAILABLE

    run(body())
