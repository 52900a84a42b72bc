"""A service as what looks at items: one of ours by its name, through the gateway, or any address."""

from typing import Any
from urllib.parse import quote, urlsplit

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.gateway.publishing import find_published
from tidemill.gateway.schemas import ServiceRoute
from tidemill.inference.settings import InferenceServiceSource
from tidemill.kernel.errors import Conflict, Forbidden, Invalid
from tidemill.kernel.fields import name_key
from tidemill.kernel.outbound import check_url
from tidemill.kernel.settings import Settings
from tidemill.workloads.launching import own_url

URL, MODEL, GATEWAY = "TIDEMILL_SERVICE_URL", "TIDEMILL_SERVICE_MODEL", "TIDEMILL_GATEWAY_URL"
"""What the program finds the service by."""
GATEWAY_PORT = 80
"""Above the platform's own port."""


def check_source(session: Session, source: InferenceServiceSource, *, allow: list[str], by: Caller) -> None:
    """Raises what is wrong with it. A service of ours need not be serving yet."""
    if (source.service is None) == (source.url is None):
        raise Invalid("inference_service_one", field="settings.source")
    if source.service is not None:
        _get_route(session, source.service, by=by)
        return
    check_url(str(source.url), allow, field="settings.source.url")
    if source.model is None:
        raise Invalid("inference_service_model", field="settings.source.model")


def find_address(session: Session, settings: Settings, source: InferenceServiceSource, *, by: Caller) -> dict[str, Any]:
    """Where the service is: its `name`, variables for the program, and whether our own token opens it."""
    check_source(session, source, allow=settings.outbound_allow, by=by)
    if source.service is None:
        variables = _variables(str(source.url), source.model)
        variables["TIDEMILL_OUTBOUND_ALLOW"] = ",".join(settings.outbound_allow)
        return {"name": f"{source.url} {source.model}"[:200], "environment": variables, "is_own": False}
    if not by.may("service.call"):
        raise Forbidden("forbidden_permission", permission="service.call")
    route = _get_route(session, source.service, by=by)
    if not any(track.replicas for track in route.tracks):
        raise Conflict("inference_service_down", field="settings.source.service", name=route.name)
    url = f"{gateway_url(settings)}/{quote(route.project, safe='')}/{quote(route.name, safe='')}"
    variables = {**_variables(url, source.model), GATEWAY: gateway_url(settings)}
    return {"name": route.name, "environment": variables, "is_own": True}


def gateway_url(settings: Settings) -> str:
    """Where workloads on this machine reach the gateway."""
    own = urlsplit(own_url(settings))
    host = f"[{own.hostname}]" if ":" in str(own.hostname) else own.hostname
    return f"http://{host}:{settings.port + GATEWAY_PORT}"


def _variables(url: str, model: str | None) -> dict[str, str]:
    return {URL: url, **({MODEL: model} if model else {})}


def _get_route(session: Session, name: str, *, by: Caller) -> ServiceRoute:
    _, table = find_published(session)
    for one in table.services:
        if one.project_id == by.project.id and name_key(one.name) == name_key(name):
            return one
    raise Invalid("inference_service_unknown", field="settings.source.service", name=name)
