"""Reading a request's body while a thread works on what has come already."""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from tidemill.kernel.errors import Unavailable
from tidemill.kernel.web import take_any_length

BLOCK_BYTES = 1024 * 1024


async def receive(request: Request, take: Callable[[bytearray], None]) -> bool:
    """Gives the body to `take` in blocks, one after the other, in threads; whether it came to its end.

    While one block is being taken the next is read. Never more than two blocks are in memory.
    """
    working: asyncio.Task[None] | None = None
    complete = True
    try:
        async for block in _blocks(request):
            if working is not None:
                await working
            working = asyncio.create_task(run_in_threadpool(take, block))
    except ClientDisconnect:
        complete = False
    finally:
        if working is not None:
            await asyncio.wait([working])
    if working is not None:
        await working
    return complete


def announced_bytes(request: Request) -> int | None:
    """The length the caller says the body has."""
    text = request.headers.get("Content-Length", "")
    return int(text) if text.isascii() and text.isdigit() else None


@contextmanager
def disk_has_room() -> Iterator[None]:
    """Says so in our words when the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise Unavailable("disk_full") from error
        raise


async def _blocks(request: Request) -> AsyncIterator[bytearray]:
    """The body in blocks; what came before the connection broke is among them."""
    block = bytearray()
    take_any_length(request)
    try:
        async for piece in request.stream():
            block += piece
            if len(block) >= BLOCK_BYTES:
                yield block
                block = bytearray()
    except ClientDisconnect:
        if block:
            yield block
        raise
    if block:
        yield block
