"""Everything that runs in a project, over HTTP."""

from typing import Annotated

from fastapi import Path, Query

from tidemill.accounts.access import Caller, needs
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.workloads import listing, service
from tidemill.workloads.lifecycle import State
from tidemill.workloads.schemas import EventView, WaitingDetailView, WorkloadView
from tidemill.workloads.views import workload_view
from tidemill.workloads.waiting import explain

router = Router(tags=["workloads"], prefix="/projects/{project}/workloads")

Reader = Annotated[Caller, needs("workload.read")]
Writer = Annotated[Caller, needs("workload.write")]
WorkloadPath = Annotated[str, Path(max_length=200, description="A workload's id")]


@router.get("")
def list_workloads(
    page: Paging,
    caller: Reader,
    session: ReadSession,
    kind: Annotated[str | None, Query(max_length=50, description="Only workloads of this kind")] = None,
    owner: Annotated[
        str | None, Query(max_length=200, description="Only those of the run, environment or build with this id")
    ] = None,
    state: Annotated[list[State] | None, Query(description="Only workloads in one of these states")] = None,
    mine: Annotated[bool, Query(description="Only those the caller started")] = False,
) -> Page[WorkloadView]:
    return listing.list_workloads(session, page, kind=kind, owner=owner, states=state, mine=mine, by=caller)


@router.get("/{workload}")
def get_workload(workload: WorkloadPath, caller: Reader, session: ReadSession) -> WorkloadView:
    row = service.get_workload(session, workload, project_id=caller.project.id)
    return workload_view(session, row, caller.language)


@router.post("/{workload}/stop")
def stop_workload(workload: WorkloadPath, caller: Writer, session: WriteSession) -> WorkloadView:
    """Asks it to end; one that waits is stopped at once. Asking again is no error."""
    row = service.get_workload(session, workload, project_id=caller.project.id)
    service.stop(session, row.id, by=caller)
    return workload_view(session, row, caller.language)


@router.get("/{workload}/events")
def list_workload_events(workload: WorkloadPath, page: Paging, caller: Reader, session: ReadSession) -> Page[EventView]:
    """Every move it made, oldest first."""
    row = service.get_workload(session, workload, project_id=caller.project.id)
    return listing.list_events(session, row, page, by=caller)


@router.get("/{workload}/waiting")
def explain_workload(workload: WorkloadPath, caller: Reader, session: ReadSession) -> WaitingDetailView:
    """Why it has not been started."""
    row = service.get_workload(session, workload, project_id=caller.project.id)
    return explain(session, row, by=caller)
