"""Online services of the project as sources of suggestions: by name, through the gateway."""

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import MODEL, PACKAGE
from tidemill.assets.tables import AssetRow, EdgeRow, VersionRow
from tidemill.assets.uses import find_uses
from tidemill.gateway.publishing import find_published
from tidemill.gateway.schemas import ServiceRoute
from tidemill.kernel.errors import Conflict, Forbidden, Invalid
from tidemill.kernel.fields import name_key
from tidemill.kernel.settings import Settings
from tidemill.workloads.launching import own_url

GATEWAY_PORT = 80
"""Above the platform's own port."""
PACKAGES_MAX = 1000
"""So many of a project's newest package versions are looked through for what a service runs."""


@dataclass(frozen=True, slots=True)
class OwnService:
    name: str
    gateway: str
    url: str
    id: str


def find_service(session: Session, settings: Settings, name: str, *, by: Caller) -> OwnService:
    """Raises where there is none of this name, it does not serve, or the caller may not call it."""
    if not by.may("service.call"):
        raise Forbidden("forbidden_permission", permission="service.call")
    route = _get_route(session, name, by=by)
    if not any(track.replicas for track in route.tracks):
        raise Conflict("auto_service_down", field="source.service", name=route.name)
    gateway = _gateway_url(settings)
    url = f"{gateway}/{quote(route.project, safe='')}/{quote(route.name, safe='')}"
    return OwnService(route.name, gateway, url, route.id)


def find_model(session: Session, service: OwnService, name: str | None, *, by: Caller) -> str | None:
    """The version id of the model that answers, where that is certain: its task and labels are known beforehand."""
    newest = (
        sa.select(VersionRow.id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(AssetRow.project_id == by.project.id, AssetRow.kind == PACKAGE.name, VersionRow.deleted_at.is_(None))
        .order_by(VersionRow.created_at.desc(), VersionRow.id.desc())
        .limit(PACKAGES_MAX)
    )
    served = {use.version_id for use in find_uses(session, session.scalars(newest).all()) if use.id == service.id}
    made_from = sa.select(EdgeRow.source_id, EdgeRow.source_name).where(
        EdgeRow.version_id.in_(served), EdgeRow.source_kind == MODEL.name
    )
    found = {id for id, known in session.execute(made_from) if name is None or known == name}
    return found.pop() if len(found) == 1 else None


def _gateway_url(settings: Settings) -> str:
    """Where workloads on this machine reach the gateway."""
    own = urlsplit(own_url(settings))
    host = f"[{own.hostname}]" if ":" in str(own.hostname) else own.hostname
    return f"http://{host}:{settings.port + GATEWAY_PORT}"


def _get_route(session: Session, name: str, *, by: Caller) -> ServiceRoute:
    _, table = find_published(session)
    for one in table.services:
        if one.project_id == by.project.id and name_key(one.name) == name_key(name):
            return one
    raise Invalid("auto_service_unknown", field="source.service", name=name)
