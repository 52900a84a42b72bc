"""What programs of runs call, each for its own run only; the token they were started with says whose they are."""

from typing import Annotated

from fastapi import Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from tidemill.datasets.works.streaming import stream_items
from tidemill.inference import steps
from tidemill.inference.routes.callers import Program
from tidemill.inference.schemas import (
    InferenceFail,
    InferenceFinish,
    InferenceProgress,
    InferenceTask,
    ShardIn,
    ShardKept,
)
from tidemill.kernel.routing import Router, WriteSession

router = Router(tags=["batch inference"], prefix="/projects/{project}/inference-works/{run}")

RunId = Annotated[str, Path(max_length=100)]
_LINES: dict[str, dict[str, object]] = {"application/x-ndjson": {}}


@router.post("/begin")
def begin_inference_work(caller: Program, run: RunId, session: WriteSession) -> InferenceTask:
    """What is to be done, and how far an earlier attempt came."""
    return steps.begin(session, run, by=caller)


@router.get("/items", response_class=Response, responses={200: {"content": _LINES}})
def stream_inference_items(
    caller: Program, run: RunId, request: Request, after: Annotated[int, Query(ge=0, le=2**53)] = 0
) -> Response:
    """All items of the version that the run reads, one line of JSON each, by number."""
    with request.app.state.db.read() as session:
        vid = steps.read_vid(session, run, by=caller)
    return StreamingResponse(stream_items(request.app.state.db, vid, after), media_type="application/x-ndjson")


@router.post("/progress", status_code=204)
def note_inference_progress(caller: Program, run: RunId, body: InferenceProgress, session: WriteSession) -> None:
    steps.note_progress(session, run, body, by=caller)


@router.post("/shards")
def take_inference_shard(caller: Program, run: RunId, body: ShardIn, session: WriteSession) -> ShardKept:
    """A shard and the index of what is in it, kept together."""
    return steps.take_shard(session, run, body, by=caller)


@router.post("/finish", status_code=204)
def finish_inference_work(caller: Program, run: RunId, body: InferenceFinish, session: WriteSession) -> None:
    steps.finish(session, run, body, by=caller)


@router.post("/fail", status_code=204)
def fail_inference_work(caller: Program, run: RunId, body: InferenceFail, session: WriteSession) -> None:
    steps.fail(session, run, body, by=caller)
