"""Auto-annotation, suggestions and label errors over HTTP."""

from typing import Annotated, Literal

from fastapi import Depends, Query, Request

from tidemill.accounts.access import Caller, needs
from tidemill.datasets.lookup import Annotator, Reader, VersionPlace, Writer, open_version
from tidemill.datasets.works import reports, steps
from tidemill.datasets.works import service as works
from tidemill.datasets.works.schemas import NotePage, StepView
from tidemill.kernel.paging import LIMIT_MAX, Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.models.auto import accepting, label_errors, service, sources, summary, taking
from tidemill.models.auto.schemas import (
    AutoCreate,
    AutoView,
    Dismissed,
    LabelErrorPage,
    LabelErrorsDismiss,
    LabelErrorsIn,
    MappingAsk,
    MappingView,
    SuggestionsAccept,
    SuggestionsChanged,
    SuggestionsIn,
    SuggestionsReject,
    SuggestionsSummary,
    SuggestionsUndo,
)

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}", tags=["auto-annotation"])
programs = Router(prefix="/projects/{project}/dataset-works/{work}", tags=["dataset works"])

Program = Annotated[Caller, needs("dataset.work")]
After = Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")]


@router.post("/auto/mapping")
def suggest_mapping(caller: Reader, place: VersionPlace, body: MappingAsk, request: Request) -> MappingView:
    """Which labels of the dataset a model's labels seem to mean."""
    state = request.app.state
    source = sources.resolve(state.db, state.facts, body.source, settings=state.settings, by=caller)
    with state.db.read() as session:
        opened = open_version(session, place, project_id=caller.project.id)
        return service.mapping_view(session, opened, source, by=caller)


def _source(caller: Writer, body: AutoCreate, request: Request) -> sources.Resolved:
    """Found before the transaction begins: it may look into the store, or ask the name service."""
    state = request.app.state
    return sources.resolve(state.db, state.facts, body.source, settings=state.settings, by=caller)


@router.post("/auto", status_code=202)
def create_auto_annotation(
    caller: Writer,
    place: VersionPlace,
    body: AutoCreate,
    source: Annotated[sources.Resolved, Depends(_source)],
    session: WriteSession,
    request: Request,
) -> AutoView:
    """Has a model look at the draft; what it says are suggestions."""
    opened = open_version(session, place, project_id=caller.project.id)
    own = request.app.state.settings.models_own_python
    row = service.create_auto(session, opened, source, body, own_python=own, by=caller)
    return service.auto_view(session, row, opened, caller.language)


@router.get("/auto")
def list_auto_annotations(caller: Reader, place: VersionPlace, page: Paging, session: ReadSession) -> Page[AutoView]:
    """Auto-annotations of the version, the newest first."""
    opened = open_version(session, place, project_id=caller.project.id)

    def view(row, opened, language):  # type: ignore[no-untyped-def]
        return service.auto_view(session, row, opened, language)

    return works.list_works(session, opened, "auto", page, view, by=caller)


@router.get("/auto/{work}")
def get_auto_annotation(caller: Reader, place: VersionPlace, work: str, session: ReadSession) -> AutoView:
    opened = open_version(session, place, project_id=caller.project.id)
    return service.auto_view(session, works.get_work(session, opened, "auto", work), opened, caller.language)


@router.get("/auto/{work}/notes")
def list_auto_notes(caller: Reader, place: VersionPlace, work: str, session: ReadSession, after: After = 0) -> NotePage:
    """Items that the model could not look at."""
    opened = open_version(session, place, project_id=caller.project.id)
    return reports.page(session, works.get_work(session, opened, "auto", work), after, caller.language)


@router.post("/auto/{work}/stop", status_code=202)
def stop_auto_annotation(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> AutoView:
    """Ends it; what was suggested stays."""
    opened = open_version(session, place, project_id=caller.project.id)
    row = works.get_work(session, opened, "auto", work)
    works.stop(session, row, opened, by=caller)
    return service.auto_view(session, row, opened, caller.language)


@router.delete("/auto/{work}", status_code=204)
def delete_auto_annotation(caller: Writer, place: VersionPlace, work: str, session: WriteSession) -> None:
    """Forgets one that has ended; what was suggested stays."""
    opened = open_version(session, place, project_id=caller.project.id)
    works.delete(session, works.get_work(session, opened, "auto", work, lock=True), opened, by=caller)


@router.post("/suggestions/accept")
def accept_suggestions(
    caller: Annotator, place: VersionPlace, body: SuggestionsAccept, request: Request
) -> SuggestionsChanged:
    """Makes suggestions annotations: of items by number, or of all that a filter finds."""
    action = accepting.new_action("accept", threshold=body.threshold, below=body.below)
    return accepting.change(request.app.state.db, place, body, action, by=caller)


@router.post("/suggestions/reject")
def reject_suggestions(
    caller: Annotator, place: VersionPlace, body: SuggestionsReject, request: Request
) -> SuggestionsChanged:
    """Takes suggestions away."""
    action = accepting.new_action("reject", threshold=body.threshold)
    return accepting.change(request.app.state.db, place, body, action, by=caller)


@router.post("/suggestions/undo")
def undo_suggestions(
    caller: Annotator, place: VersionPlace, body: SuggestionsUndo, request: Request
) -> SuggestionsChanged:
    """Takes an accept or a reject back, of all items that nobody changed since."""
    return accepting.undo(request.app.state.db, place, body.action, by=caller)


@router.get("/suggestions/summary")
def summarise_suggestions(caller: Reader, place: VersionPlace, session: ReadSession) -> SuggestionsSummary:
    return summary.summarise(session, place, by=caller)


@router.get("/label-errors")
def list_label_errors(
    caller: Reader,
    place: VersionPlace,
    session: ReadSession,
    kind: Literal["class", "missing", "extra"] | None = None,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
) -> LabelErrorPage:
    """Labelled items whose labels seem wrong, the surest first."""
    return label_errors.list_label_errors(session, place, kind=kind, cursor=cursor, limit=limit, by=caller)


@router.post("/label-errors/dismiss")
def dismiss_label_errors(
    caller: Annotator, place: VersionPlace, body: LabelErrorsDismiss, session: WriteSession
) -> Dismissed:
    """They are fine as they are."""
    return Dismissed(changed=label_errors.dismiss(session, place, body.seqs, by=caller))


@programs.post("/suggestions")
def take_work_suggestions(caller: Program, work: str, body: SuggestionsIn, session: WriteSession) -> StepView:
    """What a model says of items, kept with them."""
    row = steps.get_running(session, work, by=caller)
    return StepView(done=taking.take_suggestions(session, row, body, by=caller))


@programs.post("/label-errors")
def take_work_label_errors(caller: Program, work: str, body: LabelErrorsIn, session: WriteSession) -> StepView:
    """What seems to be labelled wrongly."""
    row = steps.get_running(session, work, by=caller)
    return StepView(done=taking.take_label_errors(session, row, body, by=caller))
