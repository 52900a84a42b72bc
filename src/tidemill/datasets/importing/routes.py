"""Imports over HTTP."""

from typing import Annotated

from fastapi import Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from tidemill.datasets.importing import browsing, service
from tidemill.datasets.importing.schemas import ImportCreate, ImportView, ServerListing
from tidemill.datasets.importing.service import import_view
from tidemill.datasets.lookup import Reader, VersionPlace, Writer, open_version
from tidemill.datasets.works import reports
from tidemill.datasets.works import service as works
from tidemill.datasets.works.reports import ReportFormat
from tidemill.datasets.works.schemas import NotePage
from tidemill.kernel.fields import plain
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.store.serving import attachment

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}/imports", tags=["imports"])
folders = Router(prefix="/projects/{project}/import-folders", tags=["imports"])

_REPORTS: dict[str, dict[str, object]] = {"application/x-ndjson": {}, "text/csv": {}}


def _checked(caller: Writer, request: Request, body: ImportCreate) -> ImportCreate:
    """Names are looked up before the transaction begins."""
    del caller
    service.check_source(body, request.app.state.settings)
    return body


@router.post("", status_code=202)
def create_import(
    caller: Writer,
    place: VersionPlace,
    body: Annotated[ImportCreate, Depends(_checked)],
    request: Request,
    session: WriteSession,
) -> ImportView:
    """Imports into a draft, in the background. The same once more adds nothing twice."""
    row = service.create_import(session, place, body, request.app.state.settings, by=caller)
    return import_view(row, open_version(session, place, project_id=caller.project.id), caller.language)


@router.get("")
def list_imports(caller: Reader, place: VersionPlace, page: Paging, session: ReadSession) -> Page[ImportView]:
    """Imports into the version, the newest first."""
    opened = open_version(session, place, project_id=caller.project.id)
    return works.list_works(session, opened, "import", page, import_view, by=caller)


@router.get("/{work}")
def get_import(caller: Reader, place: VersionPlace, work: str, session: ReadSession) -> ImportView:
    """One import: how far it is, and what came of it."""
    opened = open_version(session, place, project_id=caller.project.id)
    return import_view(works.get_work(session, opened, "import", work), opened, caller.language)


@router.get("/{work}/notes")
def list_import_notes(
    caller: Reader,
    place: VersionPlace,
    work: str,
    session: ReadSession,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")] = 0,
) -> NotePage:
    """Lines of the report: what was skipped or changed, and why."""
    opened = open_version(session, place, project_id=caller.project.id)
    return reports.page(session, works.get_work(session, opened, "import", work), after, caller.language)


@router.get("/{work}/report", response_class=Response, responses={200: {"content": _REPORTS}})
def get_import_report(
    caller: Reader, place: VersionPlace, work: str, request: Request, format: ReportFormat = "jsonl"
) -> Response:
    """The whole report as a file."""
    db = request.app.state.db
    with db.read() as session:
        opened = open_version(session, place, project_id=caller.project.id)
        row = works.get_work(session, opened, "import", work)
        head = {"import": plain(import_view(row, opened, caller.language))}
    name = f"{opened.asset}@{opened.number} {row.id}.{format}"
    return StreamingResponse(
        reports.stream(db, row.id, format, caller.language, head),
        media_type=reports.MEDIA[format],
        headers={"Content-Disposition": attachment(name, download=True)},
    )


@router.post("/{work}/stop", status_code=202)
def stop_import(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> ImportView:
    """Ends an import; what it has imported stays."""
    opened = open_version(session, place, project_id=caller.project.id)
    row = works.get_work(session, opened, "import", work)
    works.stop(session, row, opened, by=caller)
    return import_view(row, opened, caller.language)


@router.delete("/{work}", status_code=204)
def delete_import(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> None:
    """Forgets an import that has ended, with its report; the items stay."""
    opened = open_version(session, place, project_id=caller.project.id)
    works.delete(session, works.get_work(session, opened, "import", work, lock=True), opened, by=caller)


@folders.get("")
def list_import_folders(
    caller: Writer,
    request: Request,
    path: Annotated[
        str | None, Query(max_length=4096, description="A folder; without it those that are allowed")
    ] = None,
) -> ServerListing:
    """What is in a folder of the server that may be imported from."""
    del caller
    return browsing.list_folder(path, request.app.state.settings.import_folders)
