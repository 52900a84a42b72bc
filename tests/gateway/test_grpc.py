"""gRPC passes through: all kinds of calls, metadata, status, deadlines; and keys hold there too."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from tests.gateway.stage import KEY, Stage, replica, run, service, until
from tidemill.gateway.grpc_door import GrpcDoor
from tidemill.gateway.limits import Limits

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

        async def mute(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
            async for _ in requests:
                pass
            yield b""

        if details.method.endswith("/Mute"):
            return grpc.stream_stream_rpc_method_handler(mute)
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


def test_a_long_stream_passes_with_little_memory_at_the_pace_of_the_slower_side() -> None:
    async def body() -> None:
        async with Grpc() as stage:
            port, _ = await stage.far()
            program = [sys.executable, str(Path(__file__).with_name("grpc_gateway.py")), str(port)]
            gateway = await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE)
            try:
                assert gateway.stdin is not None
                assert gateway.stdout is not None

                async def peak_mib() -> float:
                    gateway.stdin.write(b"\n")
                    return int(await gateway.stdout.readline()) / 1024

                address = f"127.0.0.1:{int(await gateway.stdout.readline())}"
                async with grpc.aio.insecure_channel(address) as channel:
                    for messages in (1, 100):
                        call = channel.stream_stream("/a.B/Many")(metadata=NAMED)
                        sent = 0

                        async def send(call: Any = call, messages: int = messages) -> None:
                            nonlocal sent
                            for _ in range(messages):
                                await call.write(b"x" * (1 << 20))
                                sent += 1
                            await call.done_writing()

                        sending = asyncio.create_task(send())
                        before_mib = await peak_mib()
                        if messages > 1:
                            # Nobody takes the answers: then the requests wait, too, with their sender.
                            await asyncio.wait([sending], timeout=1.5)
                            assert sent < 40
                        heard = 0
                        while (answer := await call.read()) is not grpc.aio.EOF:
                            heard += len(answer) - len(b"echo ")
                        await sending
                        assert heard == messages << 20
                    grown_mib = await peak_mib() - before_mib
                    assert grown_mib < 80, "of 100 MiB each way"
                gateway.stdin.close()
                assert await gateway.wait() == 0
            finally:
                # The event loop would wait for it.
                if gateway.returncode is None:
                    gateway.kill()
                    await gateway.wait()

    run(body())


def test_what_is_kept_to_be_sent_again_is_limited_over_all_calls() -> None:
    async def body() -> None:
        async with Grpc(limits=Limits(kept_total_bytes=1000)) as stage:
            port, _ = await stage.far()
            stage.serve(service(replica(1, grpc_port=port)))
            calls = [stage.channel.stream_stream("/a.B/Mute")(metadata=MINE) for _ in range(4)]
            for call in calls:
                await call.write(b"x" * 400)
            await until(lambda: stage.count().in_flight == 4 and stage.core.kept_bytes)
            assert stage.core.kept_bytes <= 1000
            for call in calls:
                call.cancel()
            await until(lambda: stage.count().in_flight == 0 and stage.core.kept_bytes == 0)
            call = stage.channel.stream_stream("/a.B/Many")(metadata=MINE)
            await call.write(b"x" * 400)
            await call.read()
            assert stage.core.kept_bytes == 0, "what is being answered is not sent again"
            await call.done_writing()

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
