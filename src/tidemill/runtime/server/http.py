"""Bodies and answers over ASGI."""

import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from tidemill.runtime.server.errors import Malformed, Oversized, Refusal

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
JSON = (b"content-type", b"application/json")
BINARY = (b"content-type", b"application/octet-stream")
CLOSE = (b"connection", b"close")


class Gone(Exception):
    """The client went away before its body was here."""


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The whole body, unpacked. Raises `Oversized`, `Malformed`, `Gone`."""
    encoding = b""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > limit:
            raise Oversized(f"a body may have {limit} bytes, not {int(value)}")
        if name == b"content-encoding":
            encoding = value
    message = await receive()
    body: bytes = message.get("body", b"")
    if message["type"] == "http.disconnect":
        raise Gone
    if message.get("more_body"):
        body = await _rest(receive, body, limit)
    if len(body) > limit:
        raise Oversized(f"a body may have {limit} bytes")
    return _unpacked(body, encoding, limit) if encoding else body


async def _rest(receive: Receive, first: bytes, limit: int) -> bytes:
    body = bytearray(first)
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if len(body) > limit:
            raise Oversized(f"a body may have {limit} bytes")
        if not message.get("more_body"):
            return bytes(body)


def _unpacked(body: bytes, encoding: bytes, limit: int) -> bytes:
    if encoding == b"identity":
        return body
    if encoding not in (b"gzip", b"deflate"):
        raise Malformed(f"Content-Encoding {encoding.decode('latin-1')!r} is neither gzip nor deflate")
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        found = unpacking.decompress(body, limit + 1)
    except zlib.error as error:
        raise Malformed(f"the body is not {encoding.decode()}: {error}") from error
    if len(found) > limit:
        raise Oversized(f"a body may have {limit} bytes when it is unpacked")
    if not unpacking.eof:
        raise Malformed(f"the body is cut off: its {encoding.decode()} does not end")
    return found


async def answer(
    send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]] | None = None, *, close: bool = False
) -> None:
    """Sends an answer; JSON unless the headers say otherwise."""
    shown = [*(headers or [JSON]), (b"content-length", b"%d" % len(body))]
    if close:
        shown.append(CLOSE)
    await send({"type": "http.response.start", "status": status, "headers": shown})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, error: Refusal, *, close: bool = False) -> None:
    """Sends an error as the protocol has it."""
    headers = [JSON]
    if error.retry_after_s is not None:
        headers.append((b"retry-after", b"%d" % error.retry_after_s))
    body = orjson.dumps({"error": str(error).encode(errors="replace").decode()})
    # What is left of a body that is too large is not read.
    await answer(send, error.status, body, headers, close=close or isinstance(error, Oversized))
