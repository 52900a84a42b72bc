"""Uploads of large files: begun, continued wherever they were, finished once.

A row says what is to come; the part file says how much has. An upload belongs to who began it, in one project.
"""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.ids import new_id
from tidemill.store import blobs
from tidemill.store.backends import Staged
from tidemill.store.depot import Store
from tidemill.store.parts import PartWriter
from tidemill.store.tables import UploadRow

OPEN_MAX = 1000
COMPLETE_SHOWN_FOR = timedelta(days=1)
"""How long a finished upload can still be asked for, by a client that did not hear the answer."""
EXPIRY_STEP = timedelta(hours=12)


def begin_upload(
    session: Session, *, project_id: str, by: str, digest: str, size_bytes: int, name: str, now: datetime, days: float
) -> UploadRow:
    """An upload of that content: the caller's open one, or a finished one when the project has it, or a new one."""
    found = _find_same(session, project_id, by, digest, size_bytes)
    if found is not None:
        return found
    upload = UploadRow(
        id=new_id("upl"),
        project_id=project_id,
        name=name,
        digest=digest,
        size_bytes=size_bytes,
        created_at=now,
        created_by=by,
    )
    if blobs.known(session, project_id, [digest], now):
        upload.state, upload.expires_at = "complete", now + COMPLETE_SHOWN_FOR
    else:
        _refuse_too_many(session, project_id, by)
        blobs.check_room(session, project_id, size_bytes)
        upload.state, upload.expires_at = "open", now + timedelta(days=days)
    session.add(upload)
    session.flush()
    return upload


def open_uploads(project_id: str, by: str) -> sa.Select[UploadRow]:
    """The caller's uploads that are not finished, as a statement for a list."""
    return sa.select(UploadRow).where(
        UploadRow.project_id == project_id, UploadRow.state == "open", UploadRow.created_by == by
    )


def get_upload(session: Session, project_id: str, by: str, upload_id: str) -> UploadRow:
    """The caller's upload; raises NotFound, for those of others too."""
    found = session.get(UploadRow, upload_id)
    if found is None or found.project_id != project_id or found.created_by != by:
        raise NotFound("upload_not_found", upload=upload_id[:40])
    return found


def refresh_expiry(db: Database, upload: UploadRow, now: datetime, days: float) -> None:
    """Somebody goes on with it: it lives longer. Written down twice a day at most."""
    expires_at = now + timedelta(days=days)
    if expires_at - upload.expires_at < EXPIRY_STEP:
        return
    with db.write() as session:
        session.execute(
            sa.update(UploadRow)
            .where(UploadRow.id == upload.id, UploadRow.state == "open")
            .values(expires_at=expires_at)
        )


def finish_upload(db: Database, store: Store, upload: UploadRow, writer: PartWriter, now: datetime) -> None:
    """All bytes are here: checks them, and takes the content in. Safe to repeat after a crash at any point.

    Raises Invalid, and starts the upload over, when the content is not what its digest says.
    """
    if writer.digest() != upload.digest:
        store.parts.remove(upload.id)
        raise Invalid("checksum_mismatch", field="sha256")
    staged = Staged(upload.digest, upload.size_bytes, str(store.parts.path(upload.id)))
    with db.write() as session:
        _get_open(session, upload.id)
        unplaced = blobs.reserve(
            session, upload.project_id, {upload.digest: upload.size_bytes}, now, from_upload=upload.id
        )
    if unplaced:
        store.backend.put_files([staged], keep_source=True)
    with db.write() as session:
        blobs.settle(session, unplaced)
        row = _get_open(session, upload.id)
        row.state, row.expires_at = "complete", now + COMPLETE_SHOWN_FOR
    upload.state = "complete"
    store.parts.remove(upload.id)


def finish_if_whole(db: Database, store: Store, upload: UploadRow, now: datetime) -> None:
    """Finishes an upload whose bytes are all here: after a crash in that last moment, or because there are none."""
    if upload.state != "open" or store.parts.offset(upload.id) < upload.size_bytes:
        return
    with store.parts.writer(upload.id) as writer:
        finish_upload(db, store, upload, writer, now)


def cancel_upload(db: Database, store: Store, upload: UploadRow) -> None:
    """Gives an upload up; its bytes go at once."""
    with store.parts.writer(upload.id):
        with db.write() as session:
            session.execute(sa.delete(UploadRow).where(UploadRow.id == upload.id))
        store.parts.remove(upload.id)


def give_up_upload(db: Database, store: Store, upload: UploadRow, now: datetime) -> bool:
    """Forgets an upload that is past its time; not when somebody goes on with it at this moment. Whether it is gone."""
    try:
        with store.parts.writer(upload.id):
            past = sa.delete(UploadRow).where(UploadRow.id == upload.id, UploadRow.expires_at < now)
            with db.write() as session:
                removed = session.execute(past).rowcount  # type: ignore[attr-defined]
            if removed:
                store.parts.remove(upload.id)
    except Conflict:
        return False
    return bool(removed)


def _find_same(session: Session, project_id: str, by: str, digest: str, size_bytes: int) -> UploadRow | None:
    return session.scalar(
        open_uploads(project_id, by)
        .where(UploadRow.digest == digest, UploadRow.size_bytes == size_bytes)
        .order_by(UploadRow.id)
        .limit(1)
    )


def _refuse_too_many(session: Session, project_id: str, by: str) -> None:
    count = session.scalar(sa.select(sa.func.count()).select_from(open_uploads(project_id, by).subquery())) or 0
    if count >= OPEN_MAX:
        raise Conflict("uploads_too_many", max=OPEN_MAX)


def _get_open(session: Session, upload_id: str) -> UploadRow:
    row = session.get(UploadRow, upload_id, with_for_update=True)
    if row is None or row.state != "open":
        raise NotFound("upload_not_found", upload=upload_id)
    return row
