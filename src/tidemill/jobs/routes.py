"""Background work and notifications over HTTP."""

from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import StreamingResponse

from tidemill.accounts.access import Caller, needs, signed_in
from tidemill.jobs import notifications, service
from tidemill.jobs.live import Live
from tidemill.jobs.schemas import JobView, NotificationsRead, NotificationsReadView, NotificationView
from tidemill.jobs.states import State
from tidemill.jobs.views import job_view
from tidemill.jobs.visibility import demand_job_scope
from tidemill.kernel.i18n import Language
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(tags=["jobs"])

JobPath = Annotated[str, Path(description="A job's id", max_length=200)]
StateFilter = Annotated[State | None, Query(description="Only jobs in this state")]
KindFilter = Annotated[str | None, Query(max_length=50, description="Only jobs of this kind")]


@router.get("/me/jobs")
def list_my_jobs(
    page: Paging,
    caller: Annotated[Caller, signed_in()],
    session: ReadSession,
    state: StateFilter = None,
    kind: KindFilter = None,
) -> Page[JobView]:
    demand_job_scope(caller)
    return service.list_my_jobs(session, page, by=caller, state=state, kind=kind)


@router.get("/me/jobs/{job}")
def get_my_job(job: JobPath, caller: Annotated[Caller, signed_in()], session: ReadSession) -> JobView:
    demand_job_scope(caller)
    return job_view(session, service.get_my_job(session, job, by=caller), caller.language)


@router.post("/me/jobs/{job}/cancel")
def cancel_my_job(job: JobPath, caller: Annotated[Caller, signed_in()], session: WriteSession) -> JobView:
    demand_job_scope(caller)
    row = service.get_my_job(session, job, by=caller)
    service.cancel(session, row, by=caller)
    return job_view(session, row, caller.language)


@router.get("/projects/{project}/jobs")
def list_project_jobs(
    page: Paging,
    caller: Annotated[Caller, needs("job.read")],
    session: ReadSession,
    state: StateFilter = None,
    kind: KindFilter = None,
) -> Page[JobView]:
    return service.list_project_jobs(session, page, by=caller, state=state, kind=kind)


@router.get("/projects/{project}/jobs/{job}")
def get_project_job(
    job: JobPath,
    caller: Annotated[Caller, needs("job.read")],
    session: ReadSession,
) -> JobView:
    return job_view(session, service.get_job(session, job, project_id=caller.project.id), caller.language)


@router.post("/projects/{project}/jobs/{job}/cancel")
def cancel_project_job(
    job: JobPath,
    caller: Annotated[Caller, needs("job.write")],
    session: WriteSession,
) -> JobView:
    row = service.get_job(session, job, project_id=caller.project.id)
    service.cancel(session, row, by=caller)
    return job_view(session, row, caller.language)


@router.get("/me/notifications")
def list_my_notifications(
    page: Paging,
    caller: Annotated[Caller, signed_in()],
    session: ReadSession,
    unread: Annotated[bool, Query(description="Only those not read yet")] = False,
) -> Page[NotificationView]:
    demand_job_scope(caller)
    return notifications.list_notifications(session, page, unread=unread, by=caller)


@router.post("/me/notifications/read")
def read_my_notifications(
    body: NotificationsRead, caller: Annotated[Caller, signed_in()], session: WriteSession
) -> NotificationsReadView:
    demand_job_scope(caller)
    return notifications.mark_read(session, body.ids, by=caller)


@router.get(
    "/me/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def follow_my_events(
    request: Request,
    caller: Annotated[Caller, signed_in()],
    language: Annotated[
        Language | None, Query(description="For readers that cannot send Accept-Language, as EventSource in a browser")
    ] = None,
) -> StreamingResponse:
    """Server-sent events: `job` (a JobView), `notification` (a NotificationView), `workload` (a WorkloadView), `run` (a
    RunView), `ping` every 15 s. What belongs to a project is told to those who may read it there."""
    demand_job_scope(caller)
    live: Live = request.app.state.live
    stream = live.open(caller, language or caller.language)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(live.follow(stream), media_type="text/event-stream", headers=headers)
