"""Files of versions."""

from itertools import chain
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from tidemill.accounts.access import Caller
from tidemill.assets import browsing, editing, saving
from tidemill.assets.callers import Reader, Writer
from tidemill.assets.extras import extras_of
from tidemill.assets.lookup import Place, VersionPlace, get_version
from tidemill.assets.media import media_type
from tidemill.assets.schemas import (
    EntryView,
    FilesAttach,
    FilesDelete,
    FilesMove,
    FolderMake,
    TreePage,
    TreeState,
)
from tidemill.kernel.paging import Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.store import archive, serving, trees
from tidemill.store.depot import Store
from tidemill.store.paths import check_path

router = Router(prefix="/projects/{project}/{kind:asset_kind}/{asset}/versions/{version}", tags=["files"])

FilePath = Annotated[str, Query(max_length=4096, description="Of a file or folder in the version")]
_ARCHIVES: dict[str, dict[str, object]] = {"application/zip": {}, "application/x-tar": {}}
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@router.get("/tree")
def list_tree(caller: Reader, place: VersionPlace, page: Paging, session: ReadSession, path: FilePath = "") -> TreePage:
    """What is in a folder, folders first; with `q`, everything below it whose name contains the text."""
    return browsing.list_tree(session, place, path, page, by=caller)


@router.get("/entry")
def get_entry(caller: Reader, place: VersionPlace, request: Request, path: FilePath) -> EntryView:
    """One file or folder, and whether it can be shown as text."""
    with request.app.state.db.read() as session:
        node = browsing.get_node(session, place, path, by=caller)
    return browsing.sniffed_view(node, _store(request).backend)


@router.get("/manifest", response_class=Response, responses={200: {"content": {"application/x-ndjson": {}}}})
def get_manifest(caller: Reader, place: VersionPlace, request: Request) -> Response:
    """Every file, one line of JSON each, by path; after those of the tree, what was made when it was published."""
    db = request.app.state.db
    with db.read() as session:
        _, version = get_version(session, place, project_id=caller.project.id)
        extras = extras_of(session, version)
    lines = trees.manifest_lines(chain(trees.stream(db, version.tree_id), extras))
    return StreamingResponse(lines, media_type="application/x-ndjson")


@router.get("/archive", response_class=Response, responses={200: {"content": _ARCHIVES}})
def get_archive(
    caller: Reader,
    place: VersionPlace,
    request: Request,
    format: archive.ArchiveFormat = "zip",
    path: FilePath = "",
) -> Response:
    """The version, or one folder of it, as an archive."""
    db = request.app.state.db
    folder = check_path(path.strip("/")) if path.strip("/") else ""
    with db.read() as session:
        asset, version = get_version(session, place, project_id=caller.project.id)
        if folder:
            trees.get_entry(session, version.tree_id, folder)
        extras = [] if folder else extras_of(session, version)
    name = f"{folder.rpartition('/')[2] or asset.name}@{version.number}"
    blocks = archive.archive(db, _store(request).backend, version.tree_id, format, folder, extras)
    headers = {"Content-Disposition": serving.attachment(f"{name}.{format}", download=True)}
    return StreamingResponse(blocks, media_type=archive.MEDIA_TYPES[format], headers=headers)


@router.get("/files/{path:path}", response_class=Response, responses={200: {"content": _BYTES}})
def download_file(caller: Reader, place: VersionPlace, path: str, request: Request, download: bool = False) -> Response:
    """A file's bytes; ranges and conditions are understood."""
    return _serve(caller, place, path, request, download=download)


@router.head("/files/{path:path}", include_in_schema=False)
def check_file(caller: Reader, place: VersionPlace, path: str, request: Request, download: bool = False) -> Response:
    """A file's headers."""
    return _serve(caller, place, path, request, download=download)


@router.put("/files/{path:path}", openapi_extra={"requestBody": {"required": True, "content": _BYTES}})
def save_file(
    caller: Writer,
    place: VersionPlace,
    path: str,
    request: Request,
    expected: Annotated[saving.Expected, Depends(saving.expected_state)],
    content: Annotated[bytes, Depends(saving.read_content)],
) -> EntryView:
    """Saves a small file into a draft. `If-Match` with the digest that was read refuses to write over newer work."""
    state = request.app.state
    node = saving.save_file(state.db, state.store, place, path, content, expected, by=caller)
    return browsing.sniffed_view(node, state.store.backend)


@router.post("/files/attach")
def attach_files(caller: Writer, place: VersionPlace, body: FilesAttach, session: WriteSession) -> TreeState:
    """Puts content that was uploaded at paths of a draft."""
    return editing.attach_files(session, place, body.entries, by=caller)


@router.post("/files/delete")
def delete_files(caller: Writer, place: VersionPlace, body: FilesDelete, session: WriteSession) -> TreeState:
    """Takes files and folders out of a draft."""
    return editing.delete_files(session, place, body.paths, by=caller)


@router.post("/files/move")
def move_files(caller: Writer, place: VersionPlace, body: FilesMove, session: WriteSession) -> TreeState:
    """Moves or renames files and folders of a draft."""
    return editing.move_files(session, place, body.moves, overwrite=body.overwrite, by=caller)


@router.post("/files/folder")
def make_folder(caller: Writer, place: VersionPlace, body: FolderMake, session: WriteSession) -> TreeState:
    """Makes an empty folder in a draft."""
    return editing.make_folder(session, place, body.path, by=caller)


def _serve(caller: Caller, place: Place, path: str, request: Request, *, download: bool) -> Response:
    with request.app.state.db.read() as session:
        node = browsing.get_file(session, place, path, by=caller)
    assert node.digest is not None
    return serving.blob_response(
        request,
        _store(request).backend,
        node.digest,
        node.size_bytes,
        media_type=media_type(node.name),
        filename=node.name,
        download=download,
    )


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store
