"""A batch of small files, from the request's first byte to the answer."""

from collections.abc import Mapping

from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from tidemill.accounts.access import Caller
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Invalid, TooLarge
from tidemill.kernel.settings import Settings
from tidemill.store import blobs, intake
from tidemill.store.batches import HEADER_MAX_BYTES, MEDIA_TYPE, BatchLimits, BatchReader
from tidemill.store.depot import Store
from tidemill.transfers.receive import announced_bytes, disk_has_room, receive
from tidemill.transfers.schemas import BatchView


async def receive_batch(request: Request, db: Database, store: Store, settings: Settings, *, by: Caller) -> BatchView:
    """Reads, checks and stores a batch; nothing of it when anything is wrong."""
    limits = BatchLimits(settings.batch_files, settings.batch_bytes)
    _check_headers(request, limits)
    project_id = by.project.id

    def check_room(sizes: Mapping[str, int]) -> int | None:
        with db.read() as session:
            return _room_for(session, project_id, sizes)

    def keep(reader: BatchReader) -> BatchView:
        reader.end()
        intake.keep_files(db, store.backend, project_id, reader.files, by.now, contents=reader.contents)
        return BatchView(stored=reader.count, bytes=reader.size_bytes)

    with disk_has_room():
        reader = BatchReader(store.temporary_file(), limits, check_room)
        try:
            if not await receive(request, reader.feed):
                raise Invalid("batch_cut", field="body")
            return await run_in_threadpool(keep, reader)
        finally:
            await run_in_threadpool(reader.close)


def _check_headers(request: Request, limits: BatchLimits) -> None:
    if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise Invalid("batch_type", field="Content-Type", expected=MEDIA_TYPE)
    announced = announced_bytes(request)
    if announced is not None and announced > limits.size_bytes + limits.files * HEADER_MAX_BYTES:
        raise TooLarge("batch_too_large", files=limits.files, bytes=limits.size_bytes)


def _room_for(session: Session, project_id: str, sizes: Mapping[str, int]) -> int | None:
    room = blobs.room_left(session, project_id)
    if room is None:
        return None
    needed = blobs.missing_bytes(session, project_id, sizes)
    if needed > room:
        raise TooLarge("storage_limit", needed_bytes=needed, left_bytes=max(room, 0))
    return sum(sizes.values()) + room - needed
