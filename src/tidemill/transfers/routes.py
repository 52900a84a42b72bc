"""Sending content to a project.

Nothing of this is in the audit log: bytes are not part of anything until a version is given them, and that is.
"""

from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response

from tidemill.accounts.access import Caller, needs
from tidemill.kernel.db import Database
from tidemill.kernel.paging import Page, Paging, fetch_page
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.kernel.settings import Settings
from tidemill.store import blobs, uploads
from tidemill.store.batches import MEDIA_TYPE
from tidemill.store.depot import Store
from tidemill.store.tables import UploadRow
from tidemill.transfers.batches import receive_batch
from tidemill.transfers.chunks import receive_chunk
from tidemill.transfers.schemas import (
    SIZE_MAX,
    BatchView,
    MissingQuery,
    MissingView,
    Sha256,
    UploadCreate,
    UploadView,
)

router = Router(prefix="/projects/{project}", tags=["uploads"])

Sender = Annotated[Caller, needs("upload.write")]


async def _database(request: Request) -> Database:
    db: Database = request.app.state.db
    return db


async def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


Db = Annotated[Database, Depends(_database)]
TheStore = Annotated[Store, Depends(_store)]
TheSettings = Annotated[Settings, Depends(_settings)]


def _binary(media_type: str) -> dict[str, Any]:
    """What the OpenAPI document says of a body that is read as it comes."""
    schema = {"type": "string", "format": "binary"}
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


@router.post("/blobs/missing")
def find_missing_blobs(body: MissingQuery, caller: Sender, session: WriteSession) -> MissingView:
    """Which of these contents must be sent. Those that need not are kept for a day, to be used."""
    digests = [blob.sha256 for blob in body.blobs]
    known = blobs.known(session, caller.project.id, digests, caller.now)
    return MissingView(missing=[digest for digest in dict.fromkeys(digests) if digest not in known])


@router.post("/blobs/batch", openapi_extra=_binary(MEDIA_TYPE))
async def send_blob_batch(
    request: Request, caller: Sender, db: Db, store: TheStore, settings: TheSettings
) -> BatchView:
    """Stores many small files: frames of a line `<sha256> <size>` and the bytes. All of them, or none."""
    return await receive_batch(request, db, store, settings, by=caller)


@router.post("/uploads", status_code=201, responses={200: {"model": UploadView}})
def begin_upload(
    body: UploadCreate,
    caller: Sender,
    db: Db,
    store: TheStore,
    settings: TheSettings,
    response: Response,
) -> UploadView:
    """Begins an upload, or finds the caller's open one of the same content. Complete at once when that is known."""
    with db.write() as session:
        upload = uploads.begin_upload(
            session,
            project_id=caller.project.id,
            by=caller.user_name,
            digest=body.sha256,
            size_bytes=body.size_bytes,
            name=body.name,
            now=caller.now,
            days=settings.upload_days,
        )
    response.status_code = 201 if upload.created_at == caller.now and upload.state == "open" else 200
    uploads.finish_if_whole(db, store, upload, caller.now)
    return view_upload(upload, store, settings)


@router.get("/uploads")
def list_uploads(
    page: Paging, caller: Sender, session: ReadSession, store: TheStore, settings: TheSettings
) -> Page[UploadView]:
    """The caller's open uploads."""
    return fetch_page(
        session,
        uploads.open_uploads(caller.project.id, caller.user_name),
        page,
        sorts={"created_at": UploadRow.created_at, "name": UploadRow.name},
        id_column=UploadRow.id,
        default_sort="-created_at",
        view=lambda rows: [view_upload(row, store, settings) for row in rows],
    )


@router.get("/uploads/{upload}")
def get_upload(upload: str, caller: Sender, session: ReadSession, store: TheStore, settings: TheSettings) -> UploadView:
    """One upload: its offset says where to go on."""
    return view_upload(uploads.get_upload(session, caller.project.id, caller.user_name, upload), store, settings)


@router.put("/uploads/{upload}/chunk", openapi_extra=_binary("application/octet-stream"))
async def send_upload_chunk(
    request: Request,
    upload: str,
    offset: Annotated[int, Query(ge=0, le=SIZE_MAX)],
    caller: Sender,
    db: Db,
    store: TheStore,
    settings: TheSettings,
    x_chunk_sha256: Annotated[Sha256 | None, Header()] = None,
) -> UploadView:
    """The next bytes. The last ones complete the upload, when its checksum is right."""
    row = await receive_chunk(request, upload, offset, x_chunk_sha256, db=db, store=store, settings=settings, by=caller)
    return view_upload(row, store, settings)


@router.delete("/uploads/{upload}", status_code=204)
def cancel_upload(upload: str, caller: Sender, db: Db, store: TheStore) -> None:
    """Gives an upload up."""
    with db.read() as session:
        row = uploads.get_upload(session, caller.project.id, caller.user_name, upload)
    uploads.cancel_upload(db, store, row)


def view_upload(upload: UploadRow, store: Store, settings: Settings) -> UploadView:
    """The upload as it is now."""
    is_open = upload.state == "open"
    return UploadView(
        id=upload.id,
        name=upload.name,
        state="open" if is_open else "complete",
        offset=store.parts.offset(upload.id) if is_open else upload.size_bytes,
        size_bytes=upload.size_bytes,
        sha256=upload.digest,
        chunk_bytes=settings.chunk_bytes,
        expires_at=upload.expires_at,
        created_at=upload.created_at,
        created_by=upload.created_by,
    )
