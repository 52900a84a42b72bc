"""WebSockets passed on to what workloads serve."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from multidict import CIMultiDict
from starlette.types import Receive, Scope, Send
from yarl import URL

from tidemill.doors.rights import LOOK_EVERY_S
from tidemill.server.apps_headers import for_handshake

MESSAGE_MAX_BYTES = 64 * 1024 * 1024
NO_LONGER_ALLOWED = 1008
GOING_AWAY = 1001
_NOT_TO_BE_SENT = {1005, 1006, 1015}
"""Codes that only say how a connection broke; no frame may carry them."""


async def relay(
    scope: Scope,
    receive: Receive,
    send: Send,
    client: aiohttp.ClientSession,
    url: URL,
    headers: CIMultiDict[str],
    may_stay: Callable[[], Awaitable[Any]],
) -> None:
    """Carries messages both ways until one side closes or `may_stay` says no."""
    await receive()  # websocket.connect
    try:
        upstream = await client.ws_connect(
            url,
            headers=for_handshake(headers),
            protocols=scope.get("subprotocols", ()),
            max_msg_size=MESSAGE_MAX_BYTES,
            autoclose=True,
        )
    except aiohttp.WSServerHandshakeError:
        await send({"type": "websocket.close", "code": NO_LONGER_ALLOWED})
        return
    async with upstream:
        await send({"type": "websocket.accept", "subprotocol": upstream.protocol})
        ways = [
            asyncio.create_task(_to_workload(receive, upstream)),
            asyncio.create_task(_to_browser(upstream, send)),
            asyncio.create_task(_watch(may_stay)),
        ]
        done, left = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        code = next(iter(done)).result()
        if ways[0] not in done:
            await send({"type": "websocket.close", "code": code})
        await upstream.close(code=code)


async def _to_workload(receive: Receive, upstream: aiohttp.ClientWebSocketResponse) -> int:
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return _sendable(message.get("code"))
        try:
            if (text := message.get("text")) is not None:
                await upstream.send_str(text)
            else:
                await upstream.send_bytes(message["bytes"])
        except (ConnectionError, aiohttp.ClientError):
            return GOING_AWAY


async def _to_browser(upstream: aiohttp.ClientWebSocketResponse, send: Send) -> int:
    async for message in upstream:
        if message.type is aiohttp.WSMsgType.TEXT:
            await send({"type": "websocket.send", "text": message.data})
        elif message.type is aiohttp.WSMsgType.BINARY:
            await send({"type": "websocket.send", "bytes": message.data})
        else:
            break
    return _sendable(upstream.close_code)


async def _watch(may_stay: Callable[[], Awaitable[Any]]) -> int:
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if not await may_stay():
            return NO_LONGER_ALLOWED


def _sendable(code: int | None) -> int:
    return GOING_AWAY if code is None or code in _NOT_TO_BE_SENT else code
