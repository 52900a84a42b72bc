"""Exports and lists of labels over HTTP."""

from typing import Annotated, Literal

from fastapi import Query, Request, Response

from tidemill.datasets import labels
from tidemill.datasets.exporting import service
from tidemill.datasets.exporting.labels import LABEL_MEDIA, label_file
from tidemill.datasets.exporting.schemas import ExportCreate, ExportView
from tidemill.datasets.exporting.service import export_view
from tidemill.datasets.lookup import Reader, VersionPlace, Writer, open_version
from tidemill.datasets.works import reports
from tidemill.datasets.works import service as works
from tidemill.datasets.works.schemas import NotePage
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.store import serving

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}", tags=["exports"])

_BYTES = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}
_LISTS: dict[str, dict[str, object]] = {"application/json": {}, "text/csv": {}, "text/plain": {}}


@router.post("/exports", status_code=202)
def create_export(caller: Writer, place: VersionPlace, body: ExportCreate, session: WriteSession) -> ExportView:
    """Exports a version, in the background. One of the same that is there is used again while the data is the same."""
    row, _ = service.create_export(session, place, body, by=caller)
    return export_view(row, open_version(session, place, project_id=caller.project.id), caller.language)


@router.get("/exports")
def list_exports(caller: Reader, place: VersionPlace, page: Paging, session: ReadSession) -> Page[ExportView]:
    """Exports of the version, the newest first."""
    opened = open_version(session, place, project_id=caller.project.id)
    return works.list_works(session, opened, "export", page, export_view, by=caller)


@router.get("/exports/{work}")
def get_export(caller: Reader, place: VersionPlace, work: str, session: ReadSession) -> ExportView:
    """One export."""
    opened = open_version(session, place, project_id=caller.project.id)
    return export_view(works.get_work(session, opened, "export", work), opened, caller.language)


@router.get("/exports/{work}/notes")
def list_export_notes(
    caller: Reader,
    place: VersionPlace,
    work: str,
    session: ReadSession,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")] = 0,
) -> NotePage:
    """What the format could not carry."""
    opened = open_version(session, place, project_id=caller.project.id)
    return reports.page(session, works.get_work(session, opened, "export", work), after, caller.language)


@router.get("/exports/{work}/file", response_class=Response, responses={200: {"content": _BYTES}})
def download_export(caller: Reader, place: VersionPlace, work: str, request: Request) -> Response:
    """The file; ranges and conditions are understood."""
    return _file(caller, place, work, request)


@router.head("/exports/{work}/file", include_in_schema=False)
def check_export(caller: Reader, place: VersionPlace, work: str, request: Request) -> Response:
    """The file's headers."""
    return _file(caller, place, work, request)


@router.post("/exports/{work}/stop", status_code=202)
def stop_export(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> ExportView:
    """Ends an export."""
    opened = open_version(session, place, project_id=caller.project.id)
    row = works.get_work(session, opened, "export", work)
    works.stop(session, row, opened, by=caller)
    return export_view(row, opened, caller.language)


@router.delete("/exports/{work}", status_code=204)
def delete_export(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> None:
    """Forgets an export and its file."""
    opened = open_version(session, place, project_id=caller.project.id)
    works.delete(session, works.get_work(session, opened, "export", work, lock=True), opened, by=caller)


@router.get("/label-list", response_class=Response, responses={200: {"content": _LISTS}})
def export_labels(
    caller: Reader, place: VersionPlace, session: ReadSession, format: Literal["json", "csv", "txt"] = "json"
) -> Response:
    """The version's labels as a file: everything of them (json), a table (csv), names (txt)."""
    opened = open_version(session, place, project_id=caller.project.id)
    rows = labels.views(session, opened.vid, labels.load(session, opened.vid))
    headers = {
        "Content-Disposition": serving.attachment(f"{opened.asset}@{opened.number} labels.{format}", download=True),
        "X-Content-Type-Options": "nosniff",
    }
    return Response(label_file(rows, format), media_type=LABEL_MEDIA[format], headers=headers)


def _file(caller: Reader, place: VersionPlace, work: str, request: Request) -> Response:
    with request.app.state.db.read() as session:
        opened = open_version(session, place, project_id=caller.project.id)
        digest, size_bytes, name = service.get_file(works.get_work(session, opened, "export", work))
    return serving.blob_response(
        request,
        request.app.state.store.backend,
        digest,
        size_bytes,
        media_type="application/zip",
        filename=name,
        download=True,
    )
