"""Figures, alerts and shadow traffic of services over HTTP."""

from typing import Annotated, Literal

from fastapi import Query, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import AwareDatetime

from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.serving import alerts, lookup, shadow
from tidemill.serving.metrics import exposing, querying
from tidemill.serving.routes.parameters import PREFIX, Reader, ServicePath, Writer
from tidemill.serving.schemas import AlertView, ServiceMetricsView, ServiceView, ShadowPut, ShadowView
from tidemill.serving.views import service_view

router = Router(tags=["services"], prefix=PREFIX)


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def expose_service_metrics(request: Request, caller: Reader, session: ReadSession) -> Response:
    """All services of the project in the exposition format of Prometheus."""
    text = exposing.expose(session, request.app, by=caller)
    return Response(text, media_type=exposing.CONTENT_TYPE)


@router.get("/alerts")
def list_service_alerts(
    page: Paging,
    caller: Reader,
    session: ReadSession,
    service: Annotated[str | None, Query(max_length=400, description="Only of this service")] = None,
    state: Annotated[Literal["open", "closed"] | None, Query()] = None,
) -> Page[AlertView]:
    """Rules that were broken, the newest first."""
    return alerts.list_alerts(session, page, service=service, state=state, by=caller)


@router.get("/{service}/metrics")
def get_service_metrics(
    service: ServicePath,
    caller: Reader,
    session: ReadSession,
    since: Annotated[AwareDatetime | None, Query(description="An hour ago unless said")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Now unless said")] = None,
    step_s: Annotated[int | None, Query(ge=10, le=86_400, description="Seconds a point; fitting unless said")] = None,
    replicas: Annotated[bool, Query(description="A series for each replica, too")] = False,
) -> ServiceMetricsView:
    """Requests a second, latency, errors, requests in flight and batch size, for each deployment."""
    row = lookup.get_service(session, service, by=caller)
    return querying.metrics_view(
        session, row, since=since, until=until, step_s=step_s, with_replicas=replicas, by=caller
    )


@router.put("/{service}/shadow")
def start_shadow(
    service: ServicePath, body: ShadowPut, request: Request, caller: Writer, session: WriteSession
) -> ServiceView:
    """Shows the canary what production is asked, and compares the answers; nobody gets the canary's."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    shadow.start(session, row, body.percent, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.delete("/{service}/shadow")
def stop_shadow(service: ServicePath, request: Request, caller: Writer, session: WriteSession) -> ServiceView:
    row = lookup.get_service(session, service, by=caller, lock=True)
    shadow.stop(session, row, by=caller)
    return service_view(session, row, request=request, by=caller)


@router.get("/{service}/shadows")
def list_shadow_reports(
    service: ServicePath, page: Paging, request: Request, caller: Reader, session: ReadSession
) -> Page[ShadowView]:
    """Comparisons, the newest first."""
    row = lookup.get_service(session, service, by=caller)
    return shadow.list_reports(session, row, page, shadow.find_differences(request.app, row))
