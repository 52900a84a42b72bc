"""What workloads serve, at `/w/<workload>/<node>/<port>/…` of the apps origin: HTTP and WebSocket, streamed both ways.

Only who holds a grant gets through (see `doors.office`); whoever brings a ticket gets one. Nothing is rewritten but
headers: what listens there was started knowing its path.
"""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode

import aiohttp
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Message, Receive, Scope, Send
from yarl import URL

from tidemill.doors.activity import Activity
from tidemill.doors.office import Grant, Office, base_path
from tidemill.doors.rights import Rights, Running
from tidemill.engines.base import Engine, EngineError
from tidemill.kernel.addresses import apps_label
from tidemill.kernel.settings import Settings
from tidemill.server import apps_pages
from tidemill.server.apps_headers import for_browser, for_workload
from tidemill.server.apps_sockets import relay

log = logging.getLogger("tidemill.apps")

COOKIE = "tidemill_app"
PREFIX = "/w/"
CONNECT_TIMEOUT_S = 10
ADDRESS_KEPT_S = 5.0
_PLACE = re.compile(
    r"/w/(?P<workload>[a-z]{2,4}_[0-9a-z]{26})/(?P<node>\d{1,4})/(?P<port>[1-9]\d{0,4})(?P<rest>/.*)?", re.DOTALL
)
_BODILESS = {204, 304}
_UNREACHABLE = (aiohttp.ClientConnectorError, aiohttp.ServerDisconnectedError, EngineError)


class AppsProxy:
    """An ASGI application for the paths under `/w/`."""

    def __init__(self, settings: Settings, main: State, main_origin: Callable[[HTTPConnection, Settings], str]) -> None:
        self._settings = settings
        self._main = main
        self._main_origin = main_origin
        self._client: aiohttp.ClientSession | None = None
        self._addresses: dict[tuple[str, int, int], tuple[float, tuple[str, int]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        place = _PLACE.fullmatch(scope["path"])
        if place is None or not self._is_its_host(connection, place["workload"]):
            await _refuse(connection, scope, receive, send, 404)
            return
        path = base_path(place["workload"], int(place["node"]), int(place["port"]))
        grant, running = await self._admit(connection, path)
        if scope["type"] == "http" and scope["method"] == "GET" and "ticket" in connection.query_params:
            answer = await self._exchange(connection, path, grant if running else None)
            await answer(scope, receive, send)
        elif grant is None or running is None:
            await _refuse(connection, scope, receive, send, 401)
        elif place["rest"] is None:
            await RedirectResponse(path, 307)(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, grant, running)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _is_its_host(self, connection: HTTPConnection, workload_id: str) -> bool:
        """Where each workload is an origin of its own, one workload's pages must not read another's."""
        if "*" not in (self._settings.apps_url or ""):
            return True
        return (connection.url.hostname or "").partition(".")[0] == apps_label(workload_id)

    async def _admit(self, connection: HTTPConnection, path: str) -> tuple[Grant | None, Running | None]:
        office: Office = self._main.doors_office
        cookie = connection.cookies.get(COOKIE)
        grant = office.open(cookie, now=self._main.clock()) if cookie else None
        if grant is None or grant.path != path:
            return None, None
        return grant, await self._look(grant)

    async def _look(self, grant: Grant) -> Running | None:
        rights: Rights = self._main.doors_rights
        return await run_in_threadpool(rights.look, grant)

    async def _exchange(self, connection: HTTPConnection, path: str, held: Grant | None) -> Response:
        """Takes the ticket out of the address, so that it stays in no history and no referrer."""
        office: Office = self._main.doors_office
        now = self._main.clock()
        grant = office.redeem(connection.query_params["ticket"], now=now)
        if grant is None or grant.path != path or await self._look(grant) is None:
            grant = None
            if held is None:
                return apps_pages.closed_page(connection)
        left = urlencode([pair for pair in parse_qsl(connection.url.query, True) if pair[0] != "ticket"])
        target = connection.scope["raw_path"].decode("latin-1") + (f"?{left}" if left else "")
        answer = RedirectResponse(target, 303, {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"})
        if grant is not None:
            answer.set_cookie(
                COOKIE,
                office.seal(grant, now=now),
                path=path,
                httponly=True,
                samesite="lax",
                secure=connection.url.scheme in {"https", "wss"},
            )
        return answer

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, grant: Grant, running: Running) -> None:
        activity: Activity = self._main.doors_activity
        connection = HTTPConnection(scope)
        headers = for_workload(
            scope["headers"],
            client=scope["client"][0] if scope.get("client") else "",
            scheme=connection.url.scheme.replace("ws", "http"),
            authorization=self._authorization(grant),
        )
        try:
            host, port = await self._address(running, grant)
            url = URL.build(
                scheme="http",
                host=host,
                port=port,
                path=scope["raw_path"].decode("latin-1"),
                query_string=scope["query_string"].decode("latin-1"),
                encoded=True,
            )
            with activity.inside(grant.workload_id):
                if scope["type"] == "websocket":
                    await relay(scope, receive, send, self._session(), url, headers, lambda: self._look(grant))
                else:
                    await self._relay_http(Request(scope, receive), send, url, headers, grant)
        except _UNREACHABLE:
            self._addresses.pop((running.launch_id, grant.node, grant.port), None)
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1014})
            else:
                await apps_pages.nothing_there_page(connection, port=grant.port)(scope, receive, send)

    async def _relay_http(self, request: Request, send: Send, url: URL, headers: Any, grant: Grant) -> None:
        body = _Body(request)
        async with self._session().request(
            request.method,
            url,
            headers=headers,
            data=body.pieces() if body.is_there else None,
            allow_redirects=False,
        ) as answer:
            ancestors = self._main_origin(request, self._settings)
            told = for_browser(answer.raw_headers, path=grant.path, frame_ancestors=ancestors)
            if answer.status in _BODILESS:
                told = [pair for pair in told if pair[0] != b"content-length"]
            await send({"type": "http.response.start", "status": answer.status, "headers": told})
            leaving = asyncio.create_task(body.until_left())
            sending = asyncio.create_task(_send_body(answer, send))
            try:
                await asyncio.wait([leaving, sending], return_when=asyncio.FIRST_COMPLETED)
                if sending.done():
                    await sending
            finally:
                for task in (leaving, sending):
                    task.cancel()
                    with suppress(asyncio.CancelledError, aiohttp.ClientError):
                        await task

    def _authorization(self, grant: Grant) -> str | None:
        office: Office = self._main.doors_office
        return f"token {office.app_token(grant.token_of)}" if grant.token_of else None

    async def _address(self, running: Running, grant: Grant) -> tuple[str, int]:
        key = (running.launch_id, grant.node, grant.port)
        kept = self._addresses.get(key)
        if kept is not None and kept[0] > time.monotonic():
            return kept[1]
        engine: Engine = self._main.engine
        found = await run_in_threadpool(engine.address, *key)
        if len(self._addresses) > 1000:
            self._addresses.clear()
        self._addresses[key] = (time.monotonic() + ADDRESS_KEPT_S, found)
        return found

    def _session(self) -> aiohttp.ClientSession:
        if self._client is None:
            self._client = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=15),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S),
                auto_decompress=False,
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
                max_line_size=64 * 1024,
                max_field_size=64 * 1024,
            )
        return self._client


class _Body:
    """A request's body as it arrives, and then the moment its sender leaves."""

    def __init__(self, request: Request) -> None:
        self._receive = request.receive
        self.is_there = "content-length" in request.headers or "transfer-encoding" in request.headers
        self._is_over = asyncio.Event()
        if not self.is_there:
            self._is_over.set()

    async def pieces(self) -> AsyncIterator[bytes]:
        try:
            more = True
            while more:
                message: Message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError("the browser left")
                more = message.get("more_body", False)
                if message.get("body"):
                    yield message["body"]
        finally:
            self._is_over.set()

    async def until_left(self) -> None:
        await self._is_over.wait()
        while (await self._receive())["type"] != "http.disconnect":
            continue


async def _send_body(answer: aiohttp.ClientResponse, send: Send) -> None:
    async for piece in answer.content.iter_any():
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(connection: HTTPConnection, scope: Scope, receive: Receive, send: Send, status: int) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await apps_pages.closed_page(connection, status)(scope, receive, send)
