"""Runs of batch inference, and what they found, over HTTP."""

from typing import Annotated, Literal

from fastapi import Body, Depends, Path, Query, Request, Response

from tidemill.accounts.access import Caller
from tidemill.engines.base import Engine
from tidemill.inference import runs, service
from tidemill.inference.launching import Known, look_up
from tidemill.inference.results import downloads, pages, write_backs
from tidemill.inference.results.pages import ResultWish
from tidemill.inference.routes.callers import InferencePath, Reader, RunPath, Writer
from tidemill.inference.schemas import (
    InferenceResume,
    InferenceRunView,
    ResultPage,
    ResultView,
    ShardList,
    WriteBackCreate,
    WriteBackMapping,
    WriteBackTarget,
    WriteBackView,
)
from tidemill.inference.tables import InferenceRunRow
from tidemill.inference.views import run_view
from tidemill.kernel.paging import LIMIT_MAX, Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.store import serving
from tidemill.training import files
from tidemill.training.schemas import RunFilePage
from tidemill.workloads.tables import WorkloadRow

router = Router(tags=["batch inference"], prefix="/projects/{project}/inferences/{inference}/runs/{run}")

_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
Threshold = Annotated[float | None, Query(ge=0, le=1, description="Only what is at least so sure")]


@router.get("")
def get_inference_run(inference: InferencePath, run: RunPath, caller: Reader, session: ReadSession) -> InferenceRunView:
    return run_view(session, runs.get_run(session, inference, run, by=caller), caller.language)


@router.delete("", status_code=204)
def delete_inference_run(inference: InferencePath, run: RunPath, caller: Writer, session: WriteSession) -> None:
    """Only a run that has ended can be deleted; what was written into datasets stays."""
    entry = service.get_inference(session, inference, by=caller, lock=True)
    runs.delete_run(session, entry, runs.get_run(session, inference, run, by=caller, lock=True), by=caller)


@router.post("/stop", status_code=202)
def stop_inference_run(
    inference: InferencePath, run: RunPath, caller: Writer, session: WriteSession
) -> InferenceRunView:
    """Asks it to end; what was found so far is kept, and it can be resumed."""
    row = runs.get_run(session, inference, run, by=caller, lock=True)
    runs.stop_run(session, row, by=caller)
    return run_view(session, row, caller.language)


def _known(inference: InferencePath, run: RunPath, caller: Writer, request: Request) -> Known:
    state = request.app.state
    with state.db.read() as session:
        row = runs.get_run(session, inference, run, by=caller)
    return look_up(state, runs.settings_of(row), by=caller, is_pinned=True)


@router.post("/resume", status_code=202)
def resume_inference_run(
    inference: InferencePath,
    run: RunPath,
    caller: Writer,
    known: Annotated[Known, Depends(_known)],
    session: WriteSession,
    body: Annotated[InferenceResume | None, Body()] = None,
) -> InferenceRunView:
    """The same run goes on where it stopped, in a new attempt."""
    row = runs.get_run(session, inference, run, by=caller, lock=True)
    runs.resume_run(session, row, body or InferenceResume(), known, by=caller)
    return run_view(session, row, caller.language)


async def _wish(
    label: Annotated[str | None, Query(max_length=200, description="Only items with this label")] = None,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    max_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    errors: Annotated[bool, Query(description="Only items that could not be looked at")] = False,
    q: Annotated[str | None, Query(max_length=200, description="Only items with this text in their path")] = None,
    sort: Annotated[Literal["seq", "-seq", "score", "-score"] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
    cursor: Annotated[str | None, Query(max_length=300, description="`next` of the page before")] = None,
) -> ResultWish:
    return ResultWish(label, min_score, max_score, errors, (q or "").replace("\x00", "") or None, sort, limit, cursor)


@router.get("/results")
def list_inference_results(
    inference: InferencePath,
    run: RunPath,
    caller: Reader,
    request: Request,
    wish: Annotated[ResultWish, Depends(_wish)],
) -> ResultPage:
    """What was found, by the items' numbers, or the surest or the least sure first.

    A page may hold fewer than were asked for although there is a `next`: where few items fit, the search goes on there.
    """
    state = request.app.state
    with state.db.read() as session:
        row = runs.get_run(session, inference, run, by=caller)
    return pages.list_results(state.db, state.store.backend, row, wish)


@router.get("/results/{seq}")
def get_inference_result(
    inference: InferencePath,
    run: RunPath,
    seq: Annotated[int, Path(ge=1, le=2**53)],
    caller: Reader,
    request: Request,
) -> ResultView:
    """What was found in one item."""
    state = request.app.state
    with state.db.read() as session:
        row = runs.get_run(session, inference, run, by=caller)
    return pages.get_result(state.db, state.store.backend, row, seq)


@router.get("/shards")
def list_inference_shards(inference: InferencePath, run: RunPath, caller: Reader, session: ReadSession) -> ShardList:
    """The files that hold what was found: a line of JSON an item."""
    return ShardList(items=pages.list_shards(session, runs.get_run(session, inference, run, by=caller)))


@router.get("/shards/{number}", response_class=Response, responses={200: {"content": _BYTES}})
def download_inference_shard(
    inference: InferencePath,
    run: RunPath,
    number: Annotated[int, Path(ge=1, le=2**31)],
    caller: Reader,
    request: Request,
) -> Response:
    with request.app.state.db.read() as session:
        shard = pages.get_shard(session, runs.get_run(session, inference, run, by=caller), number)
    return serving.blob_response(
        request,
        request.app.state.store.backend,
        shard.sha256,
        shard.size_bytes,
        media_type="application/x-ndjson",
        filename=shard.name,
        download=True,
    )


@router.get("/download", response_class=Response, responses={200: {"content": _BYTES}})
def download_inference_results(
    inference: InferencePath,
    run: RunPath,
    caller: Reader,
    request: Request,
    format: Annotated[Literal["json", "jsonl", "csv", "coco"], Query()] = "json",
    threshold: Threshold = None,
) -> Response:
    """Everything that was found, as one file."""
    with request.app.state.db.read() as session:
        row = runs.get_run(session, inference, run, by=caller)
        name = service.get_inference(session, inference, by=caller).name
    return downloads.respond(request.app.state, row, name, format, threshold=threshold)


@router.get("/files")
def list_inference_run_files(
    inference: InferencePath,
    run: RunPath,
    page: Paging,
    caller: Reader,
    request: Request,
    path: Annotated[str, Query(max_length=4096, description="A folder of the workspace")] = "",
) -> RunFilePage:
    """What is in the run's workspace now."""
    return files.list_files(_workspace(request, inference, run, caller), path, page)


@router.get("/files/{path:path}", response_class=Response, responses={200: {"content": _BYTES}})
def download_inference_run_file(
    inference: InferencePath, run: RunPath, path: str, caller: Reader, request: Request
) -> Response:
    """A file of the run's workspace."""
    return files.send_file(_workspace(request, inference, run, caller), path)


@router.post("/write-backs", status_code=202)
def create_write_back(
    inference: InferencePath, run: RunPath, body: WriteBackCreate, caller: Writer, session: WriteSession
) -> WriteBackView:
    """Writes what was found into a dataset: as suggestions of a draft, or as a new version. In the background."""
    row = runs.get_run(session, inference, run, by=caller)
    return write_backs.view(session, write_backs.create(session, row, body, by=caller), caller.language)


@router.post("/write-backs/mapping")
def suggest_write_back_mapping(
    inference: InferencePath, run: RunPath, body: WriteBackTarget, caller: Reader, session: ReadSession
) -> WriteBackMapping:
    """What the labels that were found seem to mean in the dataset; nothing is written."""
    return write_backs.suggest_mapping(session, runs.get_run(session, inference, run, by=caller), body, by=caller)


@router.get("/write-backs")
def list_write_backs(
    inference: InferencePath, run: RunPath, page: Paging, caller: Reader, session: ReadSession
) -> Page[WriteBackView]:
    return write_backs.list_all(session, runs.get_run(session, inference, run, by=caller), page, by=caller)


@router.get("/write-backs/{write_back}")
def get_write_back(
    inference: InferencePath,
    run: RunPath,
    write_back: Annotated[str, Path(max_length=100)],
    caller: Reader,
    session: ReadSession,
) -> WriteBackView:
    row = runs.get_run(session, inference, run, by=caller)
    return write_backs.view(session, write_backs.get(session, row, write_back), caller.language)


def _workspace(request: Request, inference: str, run: str, caller: Caller):  # type: ignore[no-untyped-def]
    engine: Engine = request.app.state.engine
    with request.app.state.db.read() as session:
        found: InferenceRunRow = runs.get_run(session, inference, run, by=caller)
        key = session.get_one(WorkloadRow, runs.carrier_of(found)).workspace
    return engine.workspace(key)
