"""Experiments, and runs from outside, over the platform's own API."""

from typing import Annotated

from fastapi import Path, Query, Request, Response

from tidemill.accounts.access import Caller, needs
from tidemill.assets.media import media_type
from tidemill.kernel.errors import Conflict
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.store import trees
from tidemill.store.depot import Store
from tidemill.store.paths import check_path, name_of
from tidemill.store.serving import blob_response
from tidemill.tracking import files, tables_out, targets, writing
from tidemill.tracking import runs as outside
from tidemill.tracking.files import Spot
from tidemill.tracking.schemas import (
    SHOWN_MAX,
    KeysView,
    LoggedFile,
    LoggedFilePage,
    RunCreate,
    RunPatch,
    TrackedRunPage,
)
from tidemill.tracking.search.finding import Wanted
from tidemill.tracking.search.parsing import parse_filter, parse_orders
from tidemill.training import experiments, runs
from tidemill.training.facts import plain
from tidemill.training.routes.callers import Reader, RunPath, Writer
from tidemill.training.schemas import ExperimentCreate, ExperimentPatch, ExperimentView, RunView
from tidemill.training.tables import RunRow, TagRow
from tidemill.training.views import run_view

router = Router(tags=["experiments"], prefix="/projects/{project}")

Logger = Annotated[Caller, needs("metric.write")]
ExperimentPath = Annotated[str, Path(description="An experiment's id, or a name without slashes", max_length=600)]
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@router.get("/experiments")
def list_experiments(
    page: Paging,
    caller: Reader,
    session: ReadSession,
    name: Annotated[str | None, Query(max_length=500, description="Only the one of exactly this name")] = None,
    deleted: Annotated[bool, Query(description="Those that were deleted and can be brought back")] = False,
) -> Page[ExperimentView]:
    return experiments.list_experiments(session, page, name=name, deleted=deleted, by=caller)


@router.post("/experiments", status_code=201)
def create_experiment(body: ExperimentCreate, caller: Writer, session: WriteSession) -> ExperimentView:
    row = experiments.create_experiment(
        session, body.name, description=body.description, tags=dict(body.tags), by=caller
    )
    return ExperimentView.model_validate(row)


@router.get("/experiments/{experiment}")
def get_experiment(experiment: ExperimentPath, caller: Reader, session: ReadSession) -> ExperimentView:
    return ExperimentView.model_validate(experiments.get_experiment(session, experiment, by=caller, deleted=True))


@router.patch("/experiments/{experiment}")
def update_experiment(
    experiment: ExperimentPath, body: ExperimentPatch, caller: Writer, session: WriteSession
) -> ExperimentView:
    row = experiments.get_experiment(session, experiment, by=caller, lock=True)
    experiments.update_experiment(session, row, body, by=caller)
    return ExperimentView.model_validate(row)


@router.delete("/experiments/{experiment}", status_code=204)
def delete_experiment(experiment: ExperimentPath, caller: Writer, session: WriteSession) -> None:
    """With its runs, into the bin: it can be restored until the bin's time is over."""
    row = experiments.get_experiment(session, experiment, by=caller, lock=True)
    experiments.delete_experiment(session, row, by=caller)


@router.post("/experiments/{experiment}/restore")
def restore_experiment(experiment: ExperimentPath, caller: Writer, session: WriteSession) -> ExperimentView:
    row = experiments.get_experiment(session, experiment, by=caller, lock=True, deleted=True)
    experiments.restore_experiment(session, row, by=caller)
    session.flush()
    return ExperimentView.model_validate(row)


@router.get("/experiments/{experiment}/keys")
def list_experiment_keys(experiment: ExperimentPath, caller: Reader, session: ReadSession) -> KeysView:
    """Names of metrics, parameters and tags that its runs have."""
    return tables_out.list_keys(session, experiments.get_experiment(session, experiment, by=caller, deleted=True))


@router.get("/experiments/{experiment}/runs")
def list_experiment_runs(
    experiment: ExperimentPath,
    caller: Reader,
    session: ReadSession,
    filter: Annotated[str, Query(max_length=10_000, description="`metrics.acc > 0.9 AND params.lr = '0.1'`")] = "",
    order_by: Annotated[
        list[str] | None, Query(max_length=5, description="`metrics.acc DESC`; the newest first when not given")
    ] = None,
    as_numbers: Annotated[bool, Query(description="Sort parameters as numbers, those that are none last")] = False,
    deleted: Annotated[bool, Query(description="Only those that were deleted")] = False,
    limit: Annotated[int, Query(ge=1, le=SHOWN_MAX)] = 50,
    cursor: Annotated[str | None, Query(max_length=4000, description="`next` of the page before")] = None,
) -> TrackedRunPage:
    """Its runs with what they measured and were set to."""
    row = experiments.get_experiment(session, experiment, by=caller, deleted=True)
    orders = parse_orders(order_by or [])
    wanted = Wanted(
        [row.id],
        parse_filter(filter),
        orders,
        "deleted" if deleted else "live" if row.deleted_at is None else "all",
        numbers_first=as_numbers and tables_out.has_numbers(session, row, orders),
    )
    return tables_out.list_runs(session, row, wanted, limit=limit, cursor=cursor)


@router.post("/runs", status_code=201)
def create_run(body: RunCreate, caller: Logger, session: WriteSession) -> RunView:
    """A run that goes on somewhere else: it is logged to, and says itself when it has ended."""
    place = experiments.ensure_experiment(session, body.experiment, by=caller)
    target = outside.create_run(session, place.id, name=body.name, start_ms=None, tags=body.tags, by=caller)
    writing.add_parameters(session, target, {key: plain(value) for key, value in body.parameters.items()})
    return run_view(session, session.get_one(RunRow, target.id), caller.language)


@router.patch("/runs/{run}")
def update_run(run: RunPath, body: RunPatch, caller: Logger, session: WriteSession) -> RunView:
    """Names it, tags it, adds parameters, and ends it when it is one from outside."""
    row = runs.get_run(session, run, by=caller, lock=True)
    target = targets.get_target(session, row.id, by=caller, measures=bool(body.parameters))
    if body.state is not None and row.workload_id is not None:
        raise Conflict("run_state_not_yours", name=row.name)
    if body.parameters:
        writing.add_parameters(session, target, {key: plain(value) for key, value in body.parameters.items()})
    words = dict(body.tags or {})
    if body.name is not None:
        words[writing.NAME_TAG] = body.name
    writing.set_tags(session, target, {key: value for key, value in words.items() if value is not None})
    for key, value in words.items():
        if value is None and (tag := session.get(TagRow, (row.id, key))) is not None:
            session.delete(tag)
    session.flush()
    session.refresh(row)
    outside.set_state(session, row, body.state, None, by=caller)
    session.flush()
    return run_view(session, row, caller.language)


@router.post("/runs/{run}/put-away", status_code=204)
def put_run_away(run: RunPath, caller: Writer, session: WriteSession) -> None:
    """Into the bin: it can be restored until the bin's time is over."""
    runs.put_away(session, runs.get_run(session, run, by=caller, lock=True), by=caller)


@router.get("/runs/{run}/logged")
def list_logged_files(
    run: RunPath,
    page: Paging,
    caller: Reader,
    session: ReadSession,
    path: Annotated[str, Query(max_length=4096, description="A folder")] = "",
) -> LoggedFilePage:
    """Files that were logged to the run, by the MLflow client or the SDK."""
    row = runs.get_run(session, run, by=caller)
    if row.tree_id is None:
        return LoggedFilePage(items=[], next=None, total=0, total_capped=False)
    folder = check_path(path.strip("/")) if path.strip("/") else ""
    found = (
        trees.search(session, row.tree_id, page.q, folder, page.cursor, page.limit)
        if page.q
        else trees.list_folder(session, row.tree_id, folder, page.cursor, page.limit)
    )
    items = [
        LoggedFile(
            path=node.path,
            name=name_of(node.path),
            type=node.type,
            size_bytes=node.size_bytes,
            updated_at=node.updated_at,
        )
        for node in found.items
    ]
    return LoggedFilePage(items=items, next=found.next, total=found.total, total_capped=found.total_capped)


@router.get("/runs/{run}/logged/{path:path}", response_class=Response, responses={200: {"content": _BYTES}})
def download_logged_file(run: RunPath, path: str, caller: Reader, session: ReadSession, request: Request) -> Response:
    """A file that was logged to the run."""
    row = runs.get_run(session, run, by=caller)
    node = files.get_file(session, Spot(run_id=row.id, path=path.strip("/")), by=caller)
    assert node.digest is not None
    store: Store = request.app.state.store
    name = name_of(node.path)
    return blob_response(
        request, store.backend, node.digest, node.size_bytes, media_type=media_type(name), filename=name
    )
