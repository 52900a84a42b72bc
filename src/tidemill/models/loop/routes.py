"""The loop over HTTP."""

from typing import Annotated

from fastapi import Body, Depends, Path, Request

from tidemill.accounts.access import Caller, needs
from tidemill.datasets.lookup import DatasetPlace, Opened, Reader, Writer, get_dataset
from tidemill.kernel.errors import Conflict, Forbidden
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.models.auto import service as auto
from tidemill.models.auto import sources
from tidemill.models.auto.schemas import AutoCreate, AutoView, ModelSource
from tidemill.models.loop import rounds, standing
from tidemill.models.loop.schemas import LoopAuto, LoopView, RetrainStart, RoundView

router = Router(prefix="/projects/{project}/datasets/{dataset}/loop", tags=["loop"])

Trainer = Annotated[Caller, needs("training.write")]
RoundPath = Annotated[str, Path(max_length=100)]


@router.get("")
def get_loop(caller: Reader, place: DatasetPlace, session: ReadSession) -> LoopView:
    """How far labelling is, how good models are, and what to do next."""
    return standing.show_loop(session, place, by=caller)


@router.post("/retrain", status_code=202)
def retrain(
    caller: Trainer, place: DatasetPlace, session: WriteSession, body: Annotated[RetrainStart | None, Body()] = None
) -> RoundView:
    """Publishes the draft, begins a new one from it, trains and, if wanted, lets the model look at the new draft."""
    if not caller.may("dataset.write"):
        raise Forbidden("forbidden_permission", permission="dataset.write")
    asset, _ = get_dataset(session, place, project_id=caller.project.id)
    draft = standing.find_versions(session, asset, caller).draft
    if draft is None:
        raise Conflict("loop_no_draft", name=asset.name)
    row = rounds.start_round(session, draft, body or RetrainStart(), by=caller)
    return rounds.round_view(session, row, caller.language)


@router.get("/rounds")
def list_rounds(caller: Reader, place: DatasetPlace, page: Paging, session: ReadSession) -> Page[RoundView]:
    """The rounds so far, the newest first."""
    asset, _ = get_dataset(session, place, project_id=caller.project.id)
    return rounds.list_rounds(session, asset.id, page, by=caller)


@router.post("/rounds/{round}/stop", status_code=202)
def stop_round(caller: Trainer, place: DatasetPlace, round: RoundPath, session: WriteSession) -> RoundView:
    """Ends a round; what it has done stays."""
    asset, _ = get_dataset(session, place, project_id=caller.project.id)
    row = rounds.get_round(session, asset.id, round, lock=True)
    rounds.stop_round(session, row, by=caller)
    return rounds.round_view(session, row, caller.language)


def _source(
    caller: Writer, place: DatasetPlace, request: Request, body: Annotated[LoopAuto | None, Body()] = None
) -> tuple[Opened, sources.Resolved, AutoCreate]:
    """The draft, the model and what is asked of it, found before the transaction begins."""
    state, wanted = request.app.state, body or LoopAuto()
    with state.db.read() as session:
        asset, _ = get_dataset(session, place, project_id=caller.project.id)
        draft = standing.find_versions(session, asset, caller).draft
        points = standing.list_points(session, asset.id, by=caller)
    if draft is None:
        raise Conflict("loop_no_draft", name=asset.name)
    model = wanted.model or next((one.model for one in reversed(points) if one.model), None)
    if model is None:
        raise Conflict("loop_never_trained", name=asset.name)
    source = ModelSource(type="model", model=model)
    found = sources.resolve(state.db, state.facts, source, settings=state.settings, by=caller)
    return draft, found, AutoCreate(source=source, threshold=wanted.threshold)


@router.post("/auto", status_code=202)
def annotate_in_loop(
    caller: Writer,
    found: Annotated[tuple[Opened, sources.Resolved, AutoCreate], Depends(_source)],
    session: WriteSession,
    request: Request,
) -> AutoView:
    """Lets the newest model that was trained from the dataset look at its draft."""
    draft, source, ask = found
    own = request.app.state.settings.models_own_python
    row = auto.create_auto(session, draft, source, ask, own_python=own, by=caller)
    return auto.auto_view(session, row, draft, caller.language)
