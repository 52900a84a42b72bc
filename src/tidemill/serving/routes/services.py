"""Services and their tracks over HTTP."""

from typing import Annotated

from fastapi import Depends, Query, Request

from tidemill.assets.kinds import MODEL
from tidemill.assets.lookup import Number, Place, Segment
from tidemill.assets.schemas import LineageView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.kernel.settings import Settings
from tidemill.serving import changing, creating, deploying, listing, lookup, tracks
from tidemill.serving.lineage import service_lineage
from tidemill.serving.routes.parameters import PREFIX, Reader, ServicePath, Writer
from tidemill.serving.schemas import (
    CanaryPut,
    DeploymentView,
    ModelDeploy,
    ReplicaView,
    ServiceCreate,
    ServiceEventView,
    ServicePatch,
    ServiceView,
    ShareSet,
    TrackPatch,
)
from tidemill.serving.states import Role, ServiceState
from tidemill.serving.views import service_view

router = Router(tags=["services"], prefix=PREFIX)
models = Router(tags=["services"], prefix="/projects/{project}/models")


async def _model(project: Segment, model: Segment, version: Number) -> Place:
    del project
    return Place(MODEL, model, version)


def _own_python(request: Request) -> bool:
    settings: Settings = request.app.state.settings
    return settings.models_own_python


def _facts_for_create(request: Request, body: ServiceCreate, caller: Writer) -> None:
    deploying.read_facts(request.app, body, by=caller)


def _facts_for_canary(request: Request, body: CanaryPut, caller: Writer) -> None:
    deploying.read_facts(request.app, body, by=caller)


def _facts_for_track(request: Request, body: TrackPatch, caller: Writer) -> None:
    deploying.read_facts(request.app, body, by=caller)


def _facts_for_model(request: Request, place: Annotated[Place, Depends(_model)], caller: Writer) -> None:
    creating.read_facts(request.app, place, by=caller)


@router.get("")
def list_services(
    page: Paging,
    request: Request,
    caller: Reader,
    session: ReadSession,
    state: Annotated[ServiceState | None, Query(description="Only those in this state")] = None,
) -> Page[ServiceView]:
    return listing.list_services(session, page, state=state, request=request, by=caller)


@router.post("", status_code=202, dependencies=[Depends(_facts_for_create)])
def create_service(body: ServiceCreate, request: Request, caller: Writer, session: WriteSession) -> ServiceView:
    """Deploys a package, a model version or a finished run's model. A package that is being built is waited for."""
    row = creating.create_service(session, body, own_python=_own_python(request), by=caller)
    return service_view(session, row, request=request, by=caller)


@models.post("/{model}/versions/{version}/deploy", status_code=202, dependencies=[Depends(_facts_for_model)])
def deploy_model(
    place: Annotated[Place, Depends(_model)],
    body: ModelDeploy,
    request: Request,
    caller: Writer,
    session: WriteSession,
) -> ServiceView:
    """One click from a model version to a service: it is packaged with the built-in server, and deployed."""
    row = creating.deploy_model(session, place, body, own_python=_own_python(request), by=caller)
    return service_view(session, row, request=request, by=caller)


@router.get("/{service}")
def get_service(service: ServicePath, request: Request, caller: Reader, session: ReadSession) -> ServiceView:
    row = lookup.get_service(session, service, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.patch("/{service}")
def update_service(
    service: ServicePath, body: ServicePatch, request: Request, caller: Writer, session: WriteSession
) -> ServiceView:
    """Changes access, limits and rules. What runs is changed at its track."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    changing.update_service(session, row, body, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.delete("/{service}", status_code=204)
def delete_service(
    service: ServicePath,
    caller: Writer,
    session: WriteSession,
    confirm: Annotated[str, Query(max_length=400, description="The service's name, typed again")],
) -> None:
    """The address is gone at once; requests under way are answered before the replicas end."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    changing.delete_service(session, row, confirm=confirm, by=caller)


@router.post("/{service}/stop", status_code=202)
def stop_service(service: ServicePath, request: Request, caller: Writer, session: WriteSession) -> ServiceView:
    """Ends all replicas; keys, rules and tracks stay for the next start."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    changing.stop_service(session, row, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.post("/{service}/start", status_code=202)
def start_service(service: ServicePath, request: Request, caller: Writer, session: WriteSession) -> ServiceView:
    row = lookup.get_service(session, service, by=caller, lock=True)
    changing.start_service(session, row, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.post("/{service}/restart", status_code=202)
def restart_service(
    service: ServicePath,
    request: Request,
    caller: Writer,
    session: WriteSession,
    role: Annotated[Role | None, Query(description="Only this track; both unless said")] = None,
) -> ServiceView:
    """Replaces every replica by a new one, one after the other, with no failed request."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    tracks.restart(session, row, role, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.patch("/{service}/tracks/{role}", status_code=202, dependencies=[Depends(_facts_for_track)])
def update_service_track(
    service: ServicePath, role: Role, body: TrackPatch, request: Request, caller: Writer, session: WriteSession
) -> ServiceView:
    """Scales, or rolls out another package, spec or environment: new replicas are ready before old ones go."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    tracks.update_track(session, row, role, body, own_python=_own_python(request), by=caller)
    return service_view(session, row, request=request, by=caller)


@router.put("/{service}/canary", status_code=202, dependencies=[Depends(_facts_for_canary)])
def put_canary(
    service: ServicePath, body: CanaryPut, request: Request, caller: Writer, session: WriteSession
) -> ServiceView:
    """Begins a canary, or rolls out another one in its place."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    tracks.put_canary(session, row, body, own_python=_own_python(request), by=caller)
    return service_view(session, row, request=request, by=caller)


@router.delete("/{service}/canary", status_code=202)
def delete_canary(service: ServicePath, request: Request, caller: Writer, session: WriteSession) -> ServiceView:
    """All traffic goes to production; what the canary has begun it answers."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    tracks.delete_canary(session, row, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.post("/{service}/canary/share")
def set_canary_share(
    service: ServicePath, body: ShareSet, request: Request, caller: Writer, session: WriteSession
) -> ServiceView:
    row = lookup.get_service(session, service, by=caller, lock=True)
    tracks.set_share(session, row, body.share, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.post("/{service}/promote")
def promote_canary(service: ServicePath, request: Request, caller: Writer, session: WriteSession) -> ServiceView:
    """Swaps: the canary with all its replicas is production now, and what was production is the canary, with the share
    the canary had."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    tracks.promote(session, row, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.get("/{service}/replicas")
def list_service_replicas(
    service: ServicePath,
    page: Paging,
    caller: Reader,
    session: ReadSession,
    ended: Annotated[bool, Query(description="Also those that have ended")] = False,
) -> Page[ReplicaView]:
    row = lookup.get_service(session, service, by=caller)
    return listing.list_replicas(session, row, page, ended=ended, by=caller)


@router.get("/{service}/deployments")
def list_service_deployments(
    service: ServicePath, page: Paging, caller: Reader, session: ReadSession
) -> Page[DeploymentView]:
    """Everything that was ever behind the service, the newest first."""
    row = lookup.get_service(session, service, by=caller)
    return listing.list_deployments(session, row, page)


@router.get("/{service}/events")
def list_service_events(
    service: ServicePath, page: Paging, caller: Reader, session: ReadSession
) -> Page[ServiceEventView]:
    """What happened to it, the newest first."""
    row = lookup.get_service(session, service, by=caller)
    return listing.list_events(session, row, page, by=caller)


@router.get("/{service}/lineage")
def get_service_lineage(
    service: ServicePath,
    caller: Reader,
    session: ReadSession,
    depth: Annotated[int, Query(ge=1, le=10, description="How many steps back")] = 6,
) -> LineageView:
    """What the service's packages were made from: models, runs' datasets, annotations."""
    row = lookup.get_service(session, service, by=caller)
    return service_lineage(session, row, depth=depth, by=caller)
