"""A gateway on this event loop, in front of small real servers."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any

import aiohttp
import uvloop
from aiohttp import web

from tidemill.gateway.core import Core
from tidemill.gateway.front import Front
from tidemill.gateway.limits import Limits
from tidemill.gateway.schemas import KeyRoute, ReplicaRoute, RoutingTable, ServiceRoute, Shadow, TrackRoute

KEY = "tms_correct"
Raw = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def run(work: Coroutine[Any, Any, None]) -> None:
    """Runs a test's body on the event loop that the gateway uses."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(asyncio.wait_for(work, 60))


def sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def replica(port: int, name: str = "r1", grpc_port: int | None = None) -> ReplicaRoute:
    return ReplicaRoute(name, "127.0.0.1", port, grpc_port)


def service(
    *replicas: ReplicaRoute, canary: tuple[ReplicaRoute, ...] = (), share: float = 10, **more: Any
) -> ServiceRoute:
    """A service at /tides/boats that `KEY` opens."""
    tracks = [TrackRoute("production", "v-1", 1, 100 - share if canary else 100, replicas)]
    if canary:
        tracks.append(TrackRoute("canary", "v-2", 2, share, canary))
    route = ServiceRoute(
        "svc-1", "prj-1", "Tides", "boats", keys=(KeyRoute("key-1", sha256(KEY)),), tracks=tuple(tracks)
    )
    return replace(route, **more)


def shadow(*replicas: ReplicaRoute, percent: float = 100) -> Shadow:
    return Shadow(TrackRoute("shadow", "v-3", 3, 0, replicas), percent)


class Stage:
    """A gateway, servers behind it, and a client; all ended with the block."""

    def __init__(self, *, limits: Limits | None = None, tokens: Any = None, clock: Any = None, **more: Any) -> None:
        self._stack = AsyncExitStack()
        self._given = {"limits": limits, "tokens": tokens, **more, **({"clock": clock} if clock else {})}

    async def __aenter__(self) -> "Stage":
        loop = asyncio.get_running_loop()
        self.core = Core(loop, **self._given)
        self._server = await loop.create_server(lambda: Front(self.core), "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = await self._stack.enter_async_context(aiohttp.ClientSession(auto_decompress=False))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
        self._server.close()
        self.core.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    def serve(self, *routes: ServiceRoute) -> None:
        self.core.routes.apply(RoutingTable(routes), self.core.routes.revision + 1)

    async def upstream(self, handle: Any = None, *, name: str = "up") -> int:
        """A server with an application that answers every path; echoes without one. Its port."""

        async def echo(request: web.Request) -> web.StreamResponse:
            body = await request.read()
            said = {
                "from": name,
                "method": request.method,
                "path": request.raw_path,
                "headers": dict(request.headers),
                "length": len(body),
                "sha256": hashlib.sha256(body).hexdigest(),
            }
            return web.json_response(said)

        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", handle or echo)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port: int = runner.addresses[0][1]
        return port

    async def raw_upstream(self, handle: Raw) -> int:
        """A server that does with its connections what it is told. Its port."""
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        self._stack.callback(server.close)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def call(
        self, method: str = "GET", path: str = "/tides/boats/x", *, key: str | None = KEY, **more: Any
    ) -> "Heard":
        """What a caller gets."""
        headers = dict(more.pop("headers", {}))
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        async with self.client.request(method, self.url + path, headers=headers, **more) as answer:
            return Heard(answer.status, answer.headers, await answer.read())

    async def say(self, words: bytes, *, until_close: bool = True) -> bytes:
        """Speaks to the gateway byte by byte; what it says until it hangs up (or for its first answer's head)."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(words)
            await writer.drain()
            async with asyncio.timeout(10):
                return await reader.read() if until_close else await reader.readuntil(b"\r\n\r\n")
        finally:
            writer.close()

    def count(self, replica_id: str = "r1", role: str | None = None) -> Any:
        counters = self.core.counts.counters("e")
        return next(one for one in counters if one.replica_id == replica_id and role in {None, one.role})


class Heard:
    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


async def until(condition: Callable[[], Any], within_s: float = 10) -> Any:
    """Waits for a condition; its value."""
    async with asyncio.timeout(within_s):
        while not (found := condition()):
            await asyncio.sleep(0.005)
    return found
