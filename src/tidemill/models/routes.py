"""Manifests and facts over HTTP."""

from typing import Annotated

from fastapi import Depends, Query, Request

from tidemill.accounts.access import Caller, needs
from tidemill.assets.kinds import ALGORITHM, MODEL
from tidemill.assets.lookup import Number, Place, Segment
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router
from tidemill.models import listing
from tidemill.models.listing import Scope
from tidemill.models.schemas import AlgorithmList, FactsView, ManifestView
from tidemill.models.views import algorithm_view, facts_views, manifest_view

router = Router(prefix="/projects/{project}", tags=["models"])

AlgorithmReader = Annotated[Caller, needs("algorithm.read")]
ModelReader = Annotated[Caller, needs("model.read")]
Task = Annotated[str | None, Query(max_length=100, description="Only those for this task")]


async def _algorithm(project: Segment, algorithm: Segment, version: Number) -> Place:
    del project
    return Place(ALGORITHM, algorithm, version)


async def _model(project: Segment, model: Segment, version: Number) -> Place:
    del project
    return Place(MODEL, model, version)


@router.get("/algorithms/{algorithm}/versions/{version}/algorithm-manifest")
def get_algorithm_manifest(
    caller: AlgorithmReader, place: Annotated[Place, Depends(_algorithm)], request: Request
) -> ManifestView:
    """What an algorithm can do, with which parameters."""
    state = request.app.state
    known, manifest = listing.get_manifest(state.db, state.facts, place, by=caller)
    return manifest_view(known, manifest, by=caller)


@router.get("/manifests")
def list_manifests(caller: AlgorithmReader, session: ReadSession, task: Task = None) -> AlgorithmList:
    """Algorithms of the project and public ones that say what they are for."""
    found = listing.list_manifests(session, task=task, by=caller)
    return AlgorithmList(items=[algorithm_view(known, manifest, by=caller) for known, manifest in found])


@router.get("/models/{model}/versions/{version}/facts")
def get_model_facts(caller: ModelReader, place: Annotated[Place, Depends(_model)], request: Request) -> FactsView:
    """What is known of a model version: task, labels, signature, metrics, what it was made with."""
    state = request.app.state
    row = listing.get_facts(state.db, state.facts, place, by=caller)
    with state.db.read() as session:
        return facts_views(session, [row], by=caller)[0]


@router.get("/model-facts")
def list_model_facts(
    caller: ModelReader,
    page: Paging,
    session: ReadSession,
    task: Task = None,
    model: Annotated[str | None, Query(max_length=400, description="Only versions of the model of this name")] = None,
    scope: Annotated[Scope, Query(description="Models of the project, public ones, or both")] = "all",
) -> Page[FactsView]:
    """Versions of models that say what they are."""
    return listing.list_facts(session, page, task=task, model=model, scope=scope, by=caller)
