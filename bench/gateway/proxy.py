"""The yardsticks: an aiohttp proxy, an application on Uvicorn, and an upstream that does next to nothing."""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

BODY = b'{"answer":"' + b"x" * 180 + b'"}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
DROPPED = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "host", "content-length"}


class Upstream(asyncio.Protocol):
    """Answers each packet: enough for a client that sends one small request at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        del data
        self.transport.write(ANSWER)  # type: ignore[attr-defined]


def application(port: int) -> None:
    """One worker that answers as an application does: a replica that is as quick as one in Python can be."""
    import uvicorn

    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(BODY))]

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        del receive
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": BODY})

    uvicorn.run(answer, host="127.0.0.1", port=port, log_level="warning", access_log=False, lifespan="off")


def upstream(port: int) -> None:
    import uvloop

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", port)
        await server.serve_forever()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())


def aiohttp_proxy(port: int, to: str) -> None:
    import uvloop
    from aiohttp import ClientSession, TCPConnector, web

    uvloop.install()
    client: list[ClientSession] = []

    async def handle(request: web.Request) -> web.Response:
        body = await request.read() if request.can_read_body else None
        headers = {name: value for name, value in request.headers.items() if name.lower() not in DROPPED}
        async with client[0].request(
            request.method, f"http://{to}{request.path_qs}", data=body, headers=headers
        ) as got:
            kept = {name: value for name, value in got.headers.items() if name.lower() not in DROPPED}
            return web.Response(body=await got.read(), status=got.status, headers=kept)

    async def session(_: web.Application) -> AsyncIterator[None]:
        async with ClientSession(connector=TCPConnector(limit=256)) as opened:
            client.append(opened)
            yield

    app = web.Application()
    app.cleanup_ctx.append(session)
    app.router.add_route("*", "/{path:.*}", handle)
    web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=None)


if __name__ == "__main__":
    if sys.argv[1] == "upstream":
        upstream(int(sys.argv[2]))
    elif sys.argv[1] == "application":
        application(int(sys.argv[2]))
    else:
        aiohttp_proxy(int(sys.argv[2]), sys.argv[3])
