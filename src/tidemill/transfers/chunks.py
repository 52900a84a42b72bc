"""A chunk of an upload, from the request's first byte to the answer."""

import hashlib
from contextlib import ExitStack
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from tidemill.accounts.access import Caller
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, TooLarge
from tidemill.kernel.settings import Settings
from tidemill.store import uploads
from tidemill.store.depot import Store
from tidemill.store.parts import PartWriter
from tidemill.store.tables import UploadRow
from tidemill.transfers.receive import announced_bytes, disk_has_room, receive


async def receive_chunk(
    request: Request,
    upload_id: str,
    offset: int,
    chunk_digest: str | None,
    *,
    db: Database,
    store: Store,
    settings: Settings,
    by: Caller,
) -> UploadRow:
    """Appends the body to the upload, and completes it with its last byte.

    What arrived before a connection broke is kept: the next chunk goes on from there.
    """
    upload = await run_in_threadpool(_find, db, by, upload_id)
    if upload.state == "complete":
        _check_offset(upload.size_bytes, offset)
        return upload
    limit = _limit(upload, offset, settings, announced_bytes(request))
    with disk_has_room(), ExitStack() as stack:
        writer = await run_in_threadpool(stack.enter_context, store.parts.writer(upload.id))
        _check_offset(writer.offset, offset)
        chunk = _Chunk(writer, limit, chunk_digest)
        await run_in_threadpool(chunk.begin)
        complete = await receive(request, chunk.take)
        if complete:
            await run_in_threadpool(_close, db, store, settings, upload, chunk, by)
    return upload


class _Chunk:
    """Bytes being appended; taken back when they are not what was announced."""

    def __init__(self, writer: PartWriter, limit: int, digest: str | None) -> None:
        self.writer = writer
        self._limit = limit
        self._digest = digest
        self._hash: Any = hashlib.sha256()
        self._received = 0
        self._start: tuple[int, Any] = (0, None)

    def begin(self) -> None:
        self._start = self.writer.mark()

    def take(self, block: bytearray) -> None:
        self._received += len(block)
        if self._received > self._limit:
            self.writer.back_to(self._start)
            raise TooLarge("chunk_too_large", max=self._limit)
        if self._digest is not None:
            self._hash.update(block)
        self.writer.append(block)

    def check(self) -> None:
        if self._digest is not None and self._hash.hexdigest() != self._digest:
            self.writer.back_to(self._start)
            raise Invalid("checksum_mismatch", field="X-Chunk-SHA256")


def _find(db: Database, by: Caller, upload_id: str) -> UploadRow:
    with db.read() as session:
        return uploads.get_upload(session, by.project.id, by.user_name, upload_id)


def _check_offset(actual: int, given: int) -> None:
    if actual != given:
        raise Conflict("wrong_offset", details={"offset": actual}, offset=actual, given=given)


def _limit(upload: UploadRow, offset: int, settings: Settings, announced: int | None) -> int:
    """How many bytes may come; refuses before reading when the caller announces more."""
    left = max(upload.size_bytes - offset, 0)
    if announced is not None and announced > settings.chunk_bytes:
        raise TooLarge("chunk_too_large", max=settings.chunk_bytes)
    if announced is not None and announced > left:
        raise Invalid("chunk_past_end", field="offset", left=left)
    return min(settings.chunk_bytes, left)


def _close(db: Database, store: Store, settings: Settings, upload: UploadRow, chunk: _Chunk, by: Caller) -> None:
    chunk.check()
    if chunk.writer.offset < upload.size_bytes:
        uploads.refresh_expiry(db, upload, by.now, settings.upload_days)
        return
    uploads.finish_upload(db, store, upload, chunk.writer, by.now)
