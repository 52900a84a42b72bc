"""Evaluations over HTTP."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request, Response

from tidemill.accounts.access import Caller, needs
from tidemill.assets.lookup import Found
from tidemill.kernel.errors import NotFound
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.models.evaluations import comparing, service, steps
from tidemill.models.evaluations.rows import read_result
from tidemill.models.evaluations.schemas import (
    COMPARED_MAX,
    EvaluationComparison,
    EvaluationCreate,
    EvaluationDetail,
    EvaluationFail,
    EvaluationFinish,
    EvaluationProgress,
    EvaluationTask,
    EvaluationView,
    State,
)
from tidemill.models.evaluations.views import evaluation_views
from tidemill.models.tables import EvaluationRow, FactsRow
from tidemill.store import serving

router = Router(prefix="/projects/{project}/evaluations", tags=["evaluations"])
works = Router(prefix="/projects/{project}/evaluation-works/{evaluation}", tags=["evaluations"])

Reader = Annotated[Caller, needs("training.read")]
Writer = Annotated[Caller, needs("training.write")]
Program = Annotated[Caller, needs("evaluation.work")]
"""No role has it: only the token of an evaluation's program does."""
EvaluationPath = Annotated[str, Path(max_length=100)]
Named = Annotated[str | None, Query(max_length=400, description="A name, or `name@3` for one version")]
_LINES: dict[str, dict[str, object]] = {"application/x-ndjson": {}}


def _model(caller: Writer, body: EvaluationCreate, request: Request) -> tuple[Found, FactsRow | None]:
    """The model and what it says of itself, read before the transaction begins."""
    state = request.app.state
    with state.db.read() as session:
        model = service.resolve_model(session, body.model, by=caller)
    return model, state.facts.ensure(model.version.id)


@router.post("", status_code=202)
def create_evaluation(
    caller: Writer,
    body: EvaluationCreate,
    found: Annotated[tuple[Found, FactsRow | None], Depends(_model)],
    session: WriteSession,
    request: Request,
) -> EvaluationView:
    """Measures a model version on a published dataset version, in the background."""
    own = request.app.state.settings.models_own_python
    row = service.create_evaluation(session, *found, body, own_python=own, by=caller)
    return evaluation_views(session, [row], by=caller)[0]


@router.get("")
def list_evaluations(
    caller: Reader,
    page: Paging,
    session: ReadSession,
    model: Named = None,
    dataset: Named = None,
    state: State | None = None,
) -> Page[EvaluationView]:
    return service.list_evaluations(session, page, model=model, dataset=dataset, state=state, by=caller)


@router.get("/compare")
def compare_evaluations(
    caller: Reader,
    request: Request,
    ids: Annotated[list[str], Query(min_length=1, max_length=50, description="Ids, repeated or with commas")],
) -> EvaluationComparison:
    """Several evaluations on one dataset version, side by side."""
    wanted = list(dict.fromkeys(one for text in ids for one in text.split(",") if one))
    with request.app.state.db.read() as session:
        rows = [service.get_evaluation(session, one, by=caller) for one in wanted[: COMPARED_MAX + 1]]
        comparing.check(rows)
        views = evaluation_views(session, rows, by=caller)
    return comparing.compare(views, [_result(request, row) or {} for row in rows])


@router.get("/{evaluation}")
def get_evaluation(caller: Reader, evaluation: EvaluationPath, request: Request) -> EvaluationDetail:
    """One evaluation, with everything that was measured."""
    with request.app.state.db.read() as session:
        row = service.get_evaluation(session, evaluation, by=caller)
        view = evaluation_views(session, [row], by=caller)[0]
    return EvaluationDetail(**view.model_dump(), result=_result(request, row))


@router.get("/{evaluation}/predictions", response_class=Response, responses={200: {"content": _LINES}})
def download_predictions(caller: Reader, evaluation: EvaluationPath, request: Request) -> Response:
    """What the model said of each item, one line of JSON each."""
    with request.app.state.db.read() as session:
        row = service.get_evaluation(session, evaluation, by=caller)
    if row.predictions_digest is None:
        raise NotFound("evaluation_no_predictions", id=row.id)
    return serving.blob_response(
        request,
        request.app.state.store.backend,
        row.predictions_digest,
        row.predictions_bytes or 0,
        media_type="application/x-ndjson",
        filename="predictions.jsonl",
        download=True,
    )


@router.post("/{evaluation}/stop", status_code=202)
def stop_evaluation(caller: Writer, evaluation: EvaluationPath, session: WriteSession) -> EvaluationView:
    row = service.get_evaluation(session, evaluation, by=caller)
    service.stop_evaluation(session, row, by=caller)
    return evaluation_views(session, [row], by=caller)[0]


@router.delete("/{evaluation}", status_code=204)
def delete_evaluation(caller: Writer, evaluation: EvaluationPath, session: WriteSession) -> None:
    """Forgets an ended evaluation."""
    service.delete_evaluation(session, service.get_evaluation(session, evaluation, by=caller, lock=True), by=caller)


@works.post("/begin")
def begin_evaluation_work(caller: Program, evaluation: EvaluationPath, session: ReadSession) -> EvaluationTask:
    """What the program has to do."""
    return steps.begin(session, evaluation, by=caller)


@works.post("/progress", status_code=204)
def note_evaluation_progress(
    caller: Program, evaluation: EvaluationPath, body: EvaluationProgress, session: WriteSession
) -> None:
    steps.note_progress(session, evaluation, body, by=caller)


@works.post("/finish", status_code=204)
def finish_evaluation(caller: Program, evaluation: EvaluationPath, body: EvaluationFinish, request: Request) -> None:
    state = request.app.state
    steps.finish(state.db, state.store.backend, evaluation, body, by=caller)


@works.post("/fail", status_code=204)
def fail_evaluation(caller: Program, evaluation: EvaluationPath, body: EvaluationFail, session: WriteSession) -> None:
    steps.fail(session, evaluation, body, by=caller)


def _result(request: Request, row: EvaluationRow) -> dict[str, object] | None:
    if row.digest is None:
        return None
    return read_result(b"".join(request.app.state.store.backend.read(row.digest)))
