"""Training from a dataset over HTTP."""

from typing import Annotated

from fastapi import Body, Depends, Query, Request

from tidemill.datasets.lookup import VersionPlace
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.models.training import planning, starting
from tidemill.models.training.schemas import Budget, TrainingPlan, TrainingStarted, TrainingView, TrainStart
from tidemill.models.training.views import training_view
from tidemill.training import runs
from tidemill.training.routes.callers import Reader, RunPath, Writer
from tidemill.training.views import run_view

router = Router(prefix="/projects/{project}", tags=["models"])

Named = Annotated[str | None, Query(max_length=400)]


@router.get("/datasets/{dataset}/versions/{version}/training-plan")
def get_training_plan(
    caller: Reader,
    place: VersionPlace,
    request: Request,
    algorithm: Named = None,
    model: Annotated[str | None, Query(max_length=400, description="To start from; empty: from scratch")] = None,
    spec: Annotated[str | None, Query(min_length=1, max_length=100)] = None,
    time_budget_s: Annotated[Budget | None, Query()] = None,
) -> TrainingPlan:
    """What training from the version would do, with which values and why."""
    wanted = TrainStart(algorithm=algorithm, model=model, spec=spec, time_budget_s=time_budget_s)
    return planning.plan_view(_plan(request, place, wanted, caller), by=caller)


def _planned(
    caller: Writer, place: VersionPlace, request: Request, body: Annotated[TrainStart | None, Body()] = None
) -> planning.Plan:
    """Made before the transaction begins: it may look into the store."""
    return _plan(request, place, body or TrainStart(), caller)


@router.post("/datasets/{dataset}/versions/{version}/train", status_code=202)
def train_from_dataset(
    caller: Writer,
    plan: Annotated[planning.Plan, Depends(_planned)],
    session: WriteSession,
    body: Annotated[TrainStart | None, Body()] = None,
) -> TrainingStarted:
    """Trains a model from a published version; what is not given is chosen."""
    run, task = starting.start(session, plan, name=body.name if body else None, by=caller)
    view = run_view(session, run, caller.language)
    return TrainingStarted(run=view, task=task.name, plan=planning.plan_view(plan, by=caller))


@router.get("/runs/{run}/training")
def get_run_training(run: RunPath, caller: Reader, session: ReadSession) -> TrainingView:
    """What was chosen for a run that was started from a dataset, and how far it is."""
    return training_view(session, runs.get_run(session, run, by=caller), by=caller)


def _plan(request: Request, place: VersionPlace, wanted: TrainStart, caller: Reader) -> planning.Plan:
    state = request.app.state
    return planning.make_plan(
        state.db, state.facts, place, wanted, own_python=state.settings.models_own_python, by=caller
    )
