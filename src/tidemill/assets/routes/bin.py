"""The recycle bin of a project."""

from typing import Annotated

from fastapi import Path, Query, Request

from tidemill.accounts.access import Caller, needs
from tidemill.assets import emptying, purging, recycling
from tidemill.assets.kinds import BinKind
from tidemill.assets.lookup import Segment
from tidemill.assets.schemas import BinRestore, BinView, Restored
from tidemill.jobs.schemas import JobView
from tidemill.jobs.views import job_view
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}/bin", tags=["bin"])

Reader = Annotated[Caller, needs("bin.read")]
Writer = Annotated[Caller, needs("bin.write")]
EntryId = Annotated[str, Path(max_length=100)]


@router.get("")
def list_bin(
    caller: Reader,
    project: Segment,
    page: Paging,
    session: ReadSession,
    kind: Annotated[BinKind | None, Query(description="Only entries of this kind")] = None,
) -> Page[BinView]:
    """What was deleted and can still be restored; sort by deleted_at, name or size_bytes."""
    del project
    return recycling.list_bin(session, page, kind=kind, by=caller)


@router.post("/empty", status_code=202)
def empty_bin(caller: Writer, project: Segment, session: WriteSession) -> JobView:
    """Removes everything that is in the bin now, for good, as background work."""
    del project
    job = emptying.submit_emptying(session, by=caller)
    session.flush()
    return job_view(session, job, caller.language)


@router.post("/{entry}/restore")
def restore_entry(
    caller: Writer, project: Segment, entry: EntryId, session: WriteSession, body: BinRestore | None = None
) -> Restored:
    """Brings an asset or a version back; a version brings its asset along when that is in the bin too."""
    del project
    return recycling.restore(session, entry, name=body.name if body else None, by=caller)


@router.delete("/{entry}", status_code=204)
def delete_entry(caller: Writer, project: Segment, entry: EntryId, request: Request) -> None:
    """Removes one entry for good; an asset with its versions in the bin."""
    del project
    db = request.app.state.db
    with db.write() as session:
        marked = purging.mark_entry(session, entry, by=caller)
    for entry_id in marked:
        purging.purge(db, entry_id)
