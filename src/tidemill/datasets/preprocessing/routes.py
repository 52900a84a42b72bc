"""Cleaning and preprocessing over HTTP."""

from typing import Annotated

from fastapi import Query, Request

from tidemill.datasets.lookup import Reader, VersionPlace, Writer, open_version
from tidemill.datasets.preprocessing import service
from tidemill.datasets.preprocessing.schemas import (
    BringBack,
    BroughtBack,
    FoundPage,
    PreprocessCreate,
    PreprocessView,
    PreviewAsk,
    PreviewView,
    ScanCreate,
    ScanView,
    SetAside,
)
from tidemill.datasets.schemas import ChangedCount
from tidemill.datasets.works import reports
from tidemill.datasets.works import service as works
from tidemill.datasets.works.schemas import NotePage
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}", tags=["preprocessing"])

After = Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")]


@router.post("/preprocess/preview")
def preview_preprocess(caller: Writer, place: VersionPlace, body: PreviewAsk, request: Request) -> PreviewView:
    """A few pictures before and after."""
    state = request.app.state
    return service.show_preview(state.db, state.store.backend, place, body, by=caller)


@router.post("/preprocess", status_code=202)
def create_preprocess(
    caller: Writer, place: VersionPlace, body: PreprocessCreate, session: WriteSession
) -> PreprocessView:
    """Drops blurred pictures, crops, rotates, mirrors and resizes, in this order, into a new draft."""
    # Before: the new draft is then the latest version.
    opened = open_version(session, place, project_id=caller.project.id)
    row = service.create_preprocess(session, place, body, by=caller)
    return service.preprocess_view(session, row, opened, caller.language)


@router.get("/preprocess")
def list_preprocesses(caller: Reader, place: VersionPlace, page: Paging, session: ReadSession) -> Page[PreprocessView]:
    """What was made from the version by preprocessing, the newest first."""
    opened = open_version(session, place, project_id=caller.project.id)

    def view(row, opened, language):  # type: ignore[no-untyped-def]
        return service.preprocess_view(session, row, opened, language)

    return works.list_works(session, opened, "preprocess", page, view, by=caller)


@router.get("/preprocess/{work}")
def get_preprocess(caller: Reader, place: VersionPlace, work: str, session: ReadSession) -> PreprocessView:
    """One preprocessing."""
    opened = open_version(session, place, project_id=caller.project.id)
    row = works.get_work(session, opened, "preprocess", work)
    return service.preprocess_view(session, row, opened, caller.language)


@router.get("/preprocess/{work}/notes")
def list_preprocess_notes(
    caller: Reader, place: VersionPlace, work: str, session: ReadSession, after: After = 0
) -> NotePage:
    """What could not be worked on, and why."""
    opened = open_version(session, place, project_id=caller.project.id)
    return reports.page(session, works.get_work(session, opened, "preprocess", work), after, caller.language)


@router.post("/preprocess/{work}/stop", status_code=202)
def stop_preprocess(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> PreprocessView:
    """Ends preprocessing; the draft it was making goes into the bin."""
    opened = open_version(session, place, project_id=caller.project.id)
    row = works.get_work(session, opened, "preprocess", work)
    works.stop(session, row, opened, by=caller)
    return service.preprocess_view(session, row, opened, caller.language)


@router.post("/scans", status_code=202)
def create_scan(caller: Writer, place: VersionPlace, body: ScanCreate, session: WriteSession) -> ScanView:
    """Looks for near duplicates, blurred and broken items."""
    row = service.create_scan(session, place, body, by=caller)
    return service.scan_view(row, open_version(session, place, project_id=caller.project.id), caller.language)


@router.get("/scans")
def list_scans(caller: Reader, place: VersionPlace, page: Paging, session: ReadSession) -> Page[ScanView]:
    """Scans of the version, the newest first."""
    opened = open_version(session, place, project_id=caller.project.id)
    return works.list_works(session, opened, "scan", page, service.scan_view, by=caller)


@router.get("/scans/{work}")
def get_scan(caller: Reader, place: VersionPlace, work: str, session: ReadSession) -> ScanView:
    """One scan."""
    opened = open_version(session, place, project_id=caller.project.id)
    return service.scan_view(works.get_work(session, opened, "scan", work), opened, caller.language)


@router.get("/scans/{work}/found")
def list_found(caller: Reader, place: VersionPlace, work: str, session: ReadSession, after: After = 0) -> FoundPage:
    """What a scan found."""
    opened = open_version(session, place, project_id=caller.project.id)
    return service.found_page(session, works.get_work(session, opened, "scan", work), after, caller.language)


@router.post("/scans/{work}/set-aside")
def set_found_aside(caller: Writer, place: VersionPlace, work: str, body: SetAside, request: Request) -> ChangedCount:
    """Sets aside what a scan found."""
    return service.set_aside(request.app.state.db, place, work, body, by=caller)


@router.post("/scans/{work}/stop", status_code=202)
def stop_scan(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> ScanView:
    """Ends a scan."""
    opened = open_version(session, place, project_id=caller.project.id)
    row = works.get_work(session, opened, "scan", work)
    works.stop(session, row, opened, by=caller)
    return service.scan_view(row, opened, caller.language)


@router.post("/bring-back")
def bring_items_back(caller: Writer, place: VersionPlace, body: BringBack, request: Request) -> BroughtBack:
    """Items that were set aside take part again."""
    return service.bring_back(request.app.state.db, place, body, by=caller)
