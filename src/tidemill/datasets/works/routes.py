"""What programs of works call, each for its own work only; the token they were started with says whose they are."""

from typing import Annotated

import sqlalchemy as sa
from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, needs
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place
from tidemill.datasets import counting, labels, trees
from tidemill.datasets.importing import server_paths
from tidemill.datasets.preprocessing.findings import take as take_findings
from tidemill.datasets.tables import DatasetRow, WorkRow
from tidemill.datasets.works import steps
from tidemill.datasets.works.schemas import (
    FindingsIn,
    FinishIn,
    LabelsIn,
    LabelsView,
    NoteIn,
    ProgressIn,
    StepIn,
    StepView,
    WorkTaskView,
)
from tidemill.datasets.works.states import ENDED
from tidemill.datasets.works.streaming import stream_items
from tidemill.kernel.errors import NotFound
from tidemill.kernel.routing import Router, WriteSession
from tidemill.store import serving

router = Router(prefix="/projects/{project}/dataset-works/{work}", tags=["dataset works"])

Program = Annotated[Caller, needs("dataset.work")]
"""No role has it: only the token of a work's program does."""
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_LINES: dict[str, dict[str, object]] = {"application/x-ndjson": {}}


@router.post("/begin")
def begin_work(caller: Program, work: str, request: Request) -> WorkTaskView:
    """What is to be done, and how far an earlier attempt came."""
    db = request.app.state.db
    with db.read() as session:
        row = steps.get_own(session, work, by=caller)
        written = steps.written_version(session, row)
    if row.kind in {"import", "preprocess"} and not row.is_dry_run and row.state not in ENDED:
        trees.part_tree(db, written, caller.now)
    with db.read() as session:
        return _task(session, steps.get_own(session, work, by=caller))


@router.get("/inputs/{index}", response_class=Response, responses={200: {"content": _BYTES}})
def get_work_input(caller: Program, work: str, index: int, request: Request) -> Response:
    """A file that was sent for the work."""
    with request.app.state.db.read() as session:
        row = steps.get_own(session, work, by=caller)
    files = row.asked.get("source", {}).get("files", [])
    if not 0 <= index < len(files):
        raise NotFound("work_input_not_found", index=index)
    file = files[index]
    return serving.blob_response(
        request,
        request.app.state.store.backend,
        file["sha256"],
        file["size_bytes"],
        media_type="application/octet-stream",
        filename=file["name"].rpartition("/")[2],
        download=True,
    )


@router.get("/server-files", response_class=Response, responses={200: {"content": _LINES}})
def list_server_files(caller: Program, work: str, request: Request) -> Response:
    """What is below the server's folder that is imported, one line of JSON each."""
    found = _server_folder(request, work, caller)
    return StreamingResponse(server_paths.list_lines(found), media_type="application/x-ndjson")


@router.get("/server-file", response_class=Response, responses={200: {"content": _BYTES}})
def get_server_file(
    caller: Program, work: str, request: Request, path: Annotated[str, Query(max_length=8192)]
) -> Response:
    """The bytes of one of them."""
    return server_paths.file_response(_server_folder(request, work, caller), path)


@router.get("/items", response_class=Response, responses={200: {"content": _LINES}})
def stream_work_items(
    caller: Program, work: str, request: Request, after: Annotated[int, Query(ge=0, le=2**53)] = 0
) -> Response:
    """All items of the version that the work reads, one line of JSON each, by number."""
    with request.app.state.db.read() as session:
        vid = _read_vid(steps.get_own(session, work, by=caller))
    return StreamingResponse(stream_items(request.app.state.db, vid, after), media_type="application/x-ndjson")


@router.post("/labels")
def add_work_labels(caller: Program, work: str, body: LabelsIn, session: WriteSession) -> LabelsView:
    """Labels of these names in the version that the work writes: found, or made."""
    row = steps.get_running(session, work, by=caller)
    opened = steps.written_version(session, row)
    place = Place(DATASET, opened.asset_id, str(opened.number))
    return LabelsView(items=labels.add_labels(session, place, body.labels, by=caller).items)


@router.post("/step")
def take_work_step(caller: Program, work: str, body: StepIn, request: Request) -> StepView:
    """Items, lines of the report and the cursor, kept together."""
    return StepView(done=steps.take_step(request.app.state.db, work, body, by=caller))


@router.post("/findings")
def take_work_findings(caller: Program, work: str, body: FindingsIn, session: WriteSession) -> StepView:
    """What was seen of items, kept with them."""
    return StepView(done=take_findings(session, steps.get_running(session, work, by=caller), body, by=caller))


@router.post("/progress", status_code=204)
def note_work_progress(caller: Program, work: str, body: ProgressIn, session: WriteSession) -> None:
    """What the work is at."""
    steps.note_progress(session, work, body, by=caller)


@router.post("/finish", status_code=204)
def finish_work(caller: Program, work: str, body: FinishIn, session: WriteSession) -> None:
    """The work is done."""
    steps.finish(session, work, body, by=caller)


@router.post("/fail", status_code=204)
def fail_work(caller: Program, work: str, body: NoteIn, session: WriteSession) -> None:
    """The work cannot be done."""
    steps.fail(session, work, body, by=caller)


def _task(session: Session, row: WorkRow) -> WorkTaskView:
    written = steps.written_version(session, row)
    dataset = session.scalars(sa.select(DatasetRow).where(DatasetRow.did == written.did)).one()
    read_vid = _read_vid(row)
    return WorkTaskView(
        id=row.id,
        kind=row.kind,
        state=row.state,
        asked=row.asked,
        format=row.format,
        dry_run=row.is_dry_run,
        data_type=dataset.data_type,
        annotation_type=dataset.annotation_type,
        dataset=written.asset,
        version=written.number,
        done=row.done,
        labels=labels.views(session, read_vid, labels.load(session, read_vid)),
        target_labels=labels.views(session, written.vid, labels.load(session, written.vid)),
        items=counting.get_count(session, read_vid, counting.TOTAL, counting.ITEMS),
    )


def _read_vid(row: WorkRow) -> int:
    """The version whose items the work reads: another dataset's when it imports from one."""
    return int(row.asked.get("source", {}).get("vid") or row.vid)


def _server_folder(request: Request, work: str, caller: Caller) -> server_paths.Allowed:
    with request.app.state.db.read() as session:
        row = steps.get_own(session, work, by=caller)
    source = row.asked.get("source", {})
    if source.get("type") != "server":
        raise NotFound("work_input_not_found", index=0)
    return server_paths.check(source["path"], request.app.state.settings.import_folders, field="source.path")
