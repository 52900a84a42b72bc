"""Entries of batch inference over HTTP."""

from typing import Annotated

from fastapi import Body, Depends, Query, Request

from tidemill.assets.kinds import Scene
from tidemill.inference import runs, service
from tidemill.inference.launching import Known, look_up
from tidemill.inference.routes.callers import InferencePath, Reader, Writer
from tidemill.inference.schemas import (
    InferenceCopy,
    InferenceCreate,
    InferencePatch,
    InferenceRunView,
    InferenceStart,
    InferenceView,
)
from tidemill.inference.settings import Form
from tidemill.inference.views import inference_view, run_view
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.training.schemas import RunState

router = Router(tags=["batch inference"], prefix="/projects/{project}/inferences")


@router.get("")
def list_inferences(
    page: Paging,
    caller: Reader,
    session: ReadSession,
    form: Annotated[Form | None, Query(description="Only those with code, or without")] = None,
    scene: Annotated[Scene | None, Query(description="Only those of this scene")] = None,
    state: Annotated[RunState | None, Query(description="Only those whose newest run is in this state")] = None,
    mine: Annotated[bool, Query(description="Only those the caller made")] = False,
) -> Page[InferenceView]:
    return service.list_inferences(session, page, form=form, scene=scene, state=state, mine=mine, by=caller)


@router.post("", status_code=201)
def create_inference(body: InferenceCreate, caller: Writer, session: WriteSession, request: Request) -> InferenceView:
    allow = request.app.state.settings.outbound_allow
    return inference_view(session, service.create_inference(session, body, allow=allow, by=caller))


@router.get("/{inference}")
def get_inference(inference: InferencePath, caller: Reader, session: ReadSession) -> InferenceView:
    return inference_view(session, service.get_inference(session, inference, by=caller))


@router.patch("/{inference}")
def update_inference(
    inference: InferencePath, body: InferencePatch, caller: Writer, session: WriteSession, request: Request
) -> InferenceView:
    row = service.get_inference(session, inference, by=caller, lock=True)
    service.update_inference(session, row, body, allow=request.app.state.settings.outbound_allow, by=caller)
    return inference_view(session, row)


@router.delete("/{inference}", status_code=204)
def delete_inference(inference: InferencePath, caller: Writer, session: WriteSession) -> None:
    """Only an entry without runs can be deleted."""
    service.delete_inference(session, service.get_inference(session, inference, by=caller, lock=True), by=caller)


@router.post("/{inference}/copy", status_code=201)
def copy_inference(
    inference: InferencePath, body: InferenceCopy, caller: Writer, session: WriteSession
) -> InferenceView:
    source = service.get_inference(session, inference, by=caller)
    return inference_view(session, service.copy_inference(session, source, body, by=caller))


def _known(
    inference: InferencePath, caller: Writer, request: Request, body: Annotated[InferenceStart | None, Body()] = None
) -> Known:
    """What the run will use, looked up before the transaction begins: it may look into the store."""
    state = request.app.state
    with state.db.read() as session:
        row = service.get_inference(session, inference, by=caller)
        settings = runs.with_changes(row, body or InferenceStart())
    return look_up(state, settings, by=caller)


@router.post("/{inference}/start", status_code=202)
def start_inference(
    inference: InferencePath,
    caller: Writer,
    known: Annotated[Known, Depends(_known)],
    session: WriteSession,
    body: Annotated[InferenceStart | None, Body()] = None,
) -> InferenceRunView:
    """A new run, which waits until there is room for it."""
    row = service.get_inference(session, inference, by=caller, lock=True)
    run = runs.start_inference(session, row, body or InferenceStart(), known, by=caller)
    return run_view(session, run, caller.language)


@router.get("/{inference}/runs")
def list_inference_runs(
    inference: InferencePath,
    page: Paging,
    caller: Reader,
    session: ReadSession,
    state: Annotated[RunState | None, Query(description="Only runs in this state")] = None,
) -> Page[InferenceRunView]:
    return runs.list_runs(session, service.get_inference(session, inference, by=caller), page, state=state, by=caller)
