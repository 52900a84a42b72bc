"""Uploads of a registry's clients, who say how much they send only as they send it.

Room in the project's storage is promised before bytes are taken: all of it where the client announces a length, step by
step where it does not. What arrived before a connection broke is kept, and the next chunk goes on from there.
"""

import re
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from tidemill.accounts.access import Caller
from tidemill.images.depot import Images
from tidemill.images.registry.repositories import Repository, add_blob
from tidemill.kernel.errors import Conflict, Invalid, NotFound, TooLarge
from tidemill.kernel.ids import new_id
from tidemill.store import blobs, uploads
from tidemill.store.parts import PartWriter
from tidemill.store.tables import UNFINISHED, UploadRow
from tidemill.transfers.receive import announced_bytes, disk_has_room, receive

STEP_BYTES = 64 * 1024 * 1024
_RANGE = re.compile(r"(?:bytes[ =])?(\d{1,18})-(\d{1,18})(?:/(?:\d{1,18}|\*))?")


@dataclass(frozen=True, slots=True)
class Push:
    """An upload into a repository, by one caller."""

    images: Images
    place: Repository
    by: Caller

    def begin(self, session: Session) -> UploadRow:
        """A new upload, of nothing yet."""
        self._refuse_too_many(session)
        row = UploadRow(
            id=new_id("upl"),
            project_id=self.place.project_id,
            name=self.place.name,
            digest="",
            size_bytes=0,
            state="pushing",
            created_at=self.by.now,
            created_by=self.by.user_name,
            expires_at=self.by.now + timedelta(days=self.images.settings.upload_days),
        )
        session.add(row)
        session.flush()
        return row

    def get(self, upload_id: str) -> UploadRow:
        """The caller's upload into this repository; raises NotFound for all others."""
        with self.images.db.read() as session:
            row = session.get(UploadRow, upload_id)
        mine = (self.place.project_id, self.place.name, self.by.user_name)
        if row is None or (row.project_id, row.name, row.created_by) != mine:
            raise NotFound("registry_upload_unknown", upload=upload_id[:40])
        return row

    def offset(self, upload: UploadRow) -> int:
        return self.images.store.parts.offset(upload.id) if upload.state in UNFINISHED else upload.size_bytes

    async def append(self, request: Request, upload: UploadRow, digest: str | None = None) -> int:
        """Takes the body; with a digest, the upload is whole then. How much has arrived altogether."""
        if upload.state not in UNFINISHED:
            await run_in_threadpool(self._repeat, upload, digest)
            return upload.size_bytes
        with disk_has_room(), ExitStack() as stack:
            writer = await run_in_threadpool(stack.enter_context, self.images.store.parts.writer(upload.id))
            length = self._check_range(request, upload, writer.offset)
            room = _Room(self.images, upload)
            if length is not None:
                await run_in_threadpool(room.need, writer.offset + length)
            intake = _Intake(writer, room)
            is_whole = await receive(request, intake.take)
            await run_in_threadpool(room.keep_only, writer.offset)
            if is_whole and digest is not None:
                await run_in_threadpool(self._finish, upload, writer, digest)
            return writer.offset

    def cancel(self, upload: UploadRow) -> None:
        uploads.cancel_upload(self.images.db, self.images.store, upload)

    def _finish(self, upload: UploadRow, writer: PartWriter, digest: str) -> None:
        if writer.digest() != digest:
            self._forget(upload)
            raise Invalid("registry_digest_mismatch", field="digest", digest=f"sha256:{digest}")
        with self.images.db.write() as session:
            row = session.get(UploadRow, upload.id, with_for_update=True)
            if row is None:
                raise NotFound("registry_upload_unknown", upload=upload.id)
            row.digest, row.size_bytes, row.state = digest, writer.offset, "open"
        uploads.finish_upload(self.images.db, self.images.store, row, writer, self.by.now)
        self._add(digest, writer.offset)

    def _repeat(self, upload: UploadRow, digest: str | None) -> None:
        """The client did not hear that it was whole, and asks again."""
        if digest is None or upload.digest != digest:
            raise NotFound("registry_upload_unknown", upload=upload.id)
        self._add(digest, upload.size_bytes)

    def _add(self, digest: str, size_bytes: int) -> None:
        with self.images.db.write() as session:
            add_blob(session, self.place, digest, size_bytes, self.by.now)

    def _forget(self, upload: UploadRow) -> None:
        with self.images.db.write() as session:
            session.execute(sa.delete(UploadRow).where(UploadRow.id == upload.id))
        self.images.store.parts.remove(upload.id)

    def _check_range(self, request: Request, upload: UploadRow, offset: int) -> int | None:
        """How many bytes come, as far as it is known; the chunk must begin where the upload is."""
        length = announced_bytes(request)
        header = request.headers.get("Content-Range")
        if header is None:
            return length
        found = _RANGE.fullmatch(header.strip())
        if found is None or int(found[1]) != offset or int(found[2]) < int(found[1]):
            raise Conflict("registry_upload_range", offset=offset, headers=upload_headers(request, upload.id, offset))
        size = int(found[2]) - int(found[1]) + 1
        if length is not None and length != size:
            raise Invalid("registry_upload_length", field="Content-Range")
        return size

    def _refuse_too_many(self, session: Session) -> None:
        mine = sa.and_(UploadRow.created_by == self.by.user_name, UploadRow.state.in_(UNFINISHED))
        count = sa.select(sa.func.count()).where(UploadRow.project_id == self.place.project_id, mine)
        if (session.scalar(count) or 0) >= uploads.OPEN_MAX:
            raise Conflict("uploads_too_many", max=uploads.OPEN_MAX)


def upload_headers(request: Request, upload_id: str, offset: int) -> dict[str, str]:
    """Where to go on, and from which byte."""
    path = f"/v2/{request.path_params['project']}/{request.path_params['name']}/blobs/uploads/{upload_id}"
    return {"Location": path, "Range": f"0-{max(offset - 1, 0)}", "Docker-Upload-UUID": upload_id}


class _Room:
    """Storage promised to an upload, as the size of its row."""

    def __init__(self, images: Images, upload: UploadRow) -> None:
        self._images = images
        self._upload = upload
        self._promised = upload.size_bytes

    def need(self, size_bytes: int) -> None:
        """There is room for so many bytes altogether; raises TooLarge when there is not."""
        if size_bytes > self._promised:
            self._promise(size_bytes)

    def need_more(self, size_bytes: int) -> None:
        """As `need`, a good deal ahead where the limit allows that."""
        if size_bytes <= self._promised:
            return
        try:
            self._promise(size_bytes + STEP_BYTES)
        except TooLarge:
            self._promise(size_bytes)

    def keep_only(self, size_bytes: int) -> None:
        """What was promised ahead and did not come is given back."""
        if size_bytes != self._promised:
            with self._images.db.write() as session:
                self._set(session, size_bytes)

    def _promise(self, size_bytes: int) -> None:
        with self._images.db.write() as session:
            blobs.check_room(session, self._upload.project_id, size_bytes, besides_upload=self._upload.id)
            self._set(session, size_bytes)

    def _set(self, session: Session, size_bytes: int) -> None:
        """Also: somebody goes on with it, so it lives longer."""
        expires_at = self._images.clock() + timedelta(days=self._images.settings.upload_days)
        going_on = sa.update(UploadRow).where(UploadRow.id == self._upload.id, UploadRow.state.in_(UNFINISHED))
        session.execute(going_on.values(size_bytes=size_bytes, expires_at=expires_at))
        self._promised = size_bytes


class _Intake:
    """Bytes on their way to the part file."""

    def __init__(self, writer: PartWriter, room: _Room) -> None:
        self._writer = writer
        self._room = room

    def take(self, block: bytearray) -> None:
        self._room.need_more(self._writer.offset + len(block))
        self._writer.append(block)
