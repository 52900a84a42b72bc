"""What workloads write and use, over HTTP."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, needs
from tidemill.engines.base import Engine, EngineError
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Invalid
from tidemill.kernel.routing import ReadSession, Router
from tidemill.workloads import listing, logs, service
from tidemill.workloads.following import Follower
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.schemas import LogFoundView, LogView, UsageLimitsView, UsagePointView, UsageView
from tidemill.workloads.tables import WorkloadRow

router = Router(tags=["workloads"], prefix="/projects/{project}/workloads/{workload}")

Reader = Annotated[Caller, needs("workload.read")]
WorkloadPath = Annotated[str, Path(max_length=200, description="A workload's id")]
NodeQuery = Annotated[int, Query(ge=0, le=10_000, description="Which node, from 0")]
AttemptQuery = Annotated[int | None, Query(ge=1, description="Which attempt; the newest unless said")]
OFFSET_MAX = 2**53 - 1
EVENTS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


@router.get("/logs")
def read_workload_log(
    request: Request,
    workload: WorkloadPath,
    caller: Reader,
    session: ReadSession,
    node: NodeQuery = 0,
    attempt: AttemptQuery = None,
    offset: Annotated[
        int, Query(ge=-OFFSET_MAX, le=OFFSET_MAX, description="In bytes; a negative one counts from the end")
    ] = 0,
    limit: Annotated[int, Query(ge=4, le=logs.BLOCK_BYTES, description="Bytes at most")] = logs.PAGE_BYTES,
) -> LogView:
    """A page of what a node wrote. What was dropped, because there was too much of it, is skipped over."""
    row, launch = _launch(session, workload, node, attempt, caller)
    nothing = LogView(text="", offset=0, next_offset=0, end_offset=0, is_over=row.state in FINAL)
    if launch is None:
        return nothing
    try:
        return logs.read_page(_engine(request), launch, node, offset=offset, limit=limit)
    except EngineError:
        return nothing


@router.get("/logs/search")
def search_workload_log(
    request: Request,
    workload: WorkloadPath,
    caller: Reader,
    session: ReadSession,
    node: NodeQuery = 0,
    attempt: AttemptQuery = None,
    q: Annotated[str | None, Query(max_length=200, description="Text to be in the line, whatever its case")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Written at this time or later")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Written at this time or before")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    cursor: Annotated[str | None, Query(max_length=100, description="`next` of the answer before")] = None,
) -> LogFoundView:
    """Lines of a node's output, by text and time. Without any line there may still be a `next`: there is more to look
    through."""
    _, launch = _launch(session, workload, node, attempt, caller)
    if launch is None:
        return LogFoundView(items=[], next=None)
    try:
        return logs.search(_engine(request), launch, node, q=q, since=since, until=until, limit=limit, cursor=cursor)
    except EngineError:
        return LogFoundView(items=[], next=None)


@router.get("/logs/stream", response_class=StreamingResponse, responses=EVENTS)
async def follow_workload_log(
    request: Request,
    workload: WorkloadPath,
    caller: Reader,
    node: NodeQuery = 0,
    offset: Annotated[int, Query(ge=-OFFSET_MAX, le=OFFSET_MAX)] = 0,
) -> StreamingResponse:
    """Server-sent events: `log` {text, offset, next_offset} as it is written, `end` when nothing more will be."""
    state = request.app.state
    row_id = await _in_thread(state.db, workload, node, caller)
    follower = Follower(state.db, state.engine, state.clock, state.stopping, state.log_readers, caller, row_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(follower.follow(node, offset), media_type="text/event-stream", headers=headers)


@router.get(
    "/logs/download",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def download_workload_log(
    request: Request,
    workload: WorkloadPath,
    caller: Reader,
    session: ReadSession,
    node: NodeQuery = 0,
    attempt: AttemptQuery = None,
) -> StreamingResponse:
    """Everything that is kept of a node's output, as a text file."""
    row, launch = _launch(session, workload, node, attempt, caller)
    found = logs.whole(_engine(request), launch, node)
    headers = {"Content-Disposition": f'attachment; filename="{row.id}-{node}.log"'}
    return StreamingResponse(found, media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/usage")
def read_workload_usage(
    request: Request,
    workload: WorkloadPath,
    caller: Reader,
    session: ReadSession,
    node: NodeQuery = 0,
    attempt: AttemptQuery = None,
    since: Annotated[AwareDatetime | None, Query(description="Only what is newer")] = None,
    points: Annotated[int, Query(ge=1, le=5000, description="At most so many, evenly thinned out")] = 300,
) -> UsageView:
    """What a node used over time, and what it may use."""
    row, launch = _launch(session, workload, node, attempt, caller)
    limits = UsageLimitsView(cpus=row.cpus, memory_bytes=row.memory_bytes)
    return UsageView(points=_usage(_engine(request), launch, node, since, points), limits=limits)


def _usage(engine: Engine, launch: str | None, node: int, since: datetime | None, points: int) -> list[UsagePointView]:
    if launch is None:
        return []
    try:
        found = engine.usage(launch, node, since=since, points=points)
    except EngineError:
        return []
    return [
        UsagePointView(
            at=one.at,
            cpus=one.cpus,
            memory_bytes=one.memory_bytes,
            disk_read_bytes_s=one.disk_read_bytes_s,
            disk_write_bytes_s=one.disk_write_bytes_s,
            net_read_bytes_s=one.net_read_bytes_s,
            net_write_bytes_s=one.net_write_bytes_s,
            devices={key: dict(values) for key, values in one.devices.items()},
        )
        for one in found
    ]


def _launch(
    session: Session, workload: str, node: int, attempt: int | None, caller: Caller
) -> tuple[WorkloadRow, str | None]:
    """The workload and the launch that is meant; None before the first."""
    row = service.get_workload(session, workload, project_id=caller.project.id)
    if node >= row.nodes:
        raise Invalid("workload_node_unknown", field="node", nodes=row.nodes)
    if attempt is None:
        return row, row.attempt_id
    return row, listing.get_attempt(session, row, attempt).id


async def _in_thread(db: Database, workload: str, node: int, caller: Caller) -> str:
    def look() -> str:
        with db.read() as session:
            return _launch(session, workload, node, None, caller)[0].id

    return await asyncio.to_thread(look)


def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine
