"""What a draft is annotated with: a model of the catalogue, a model version, or a service."""

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.lookup import Found
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, TidemillError
from tidemill.kernel.outbound import check_url
from tidemill.kernel.settings import Settings
from tidemill.models.auto.own_services import find_model, find_service
from tidemill.models.auto.schemas import ModelSource, PresetSource, ServiceSource
from tidemill.models.catalogue.entries import find_entry
from tidemill.models.evaluations.service import resolve_model
from tidemill.models.facts import FactsReader
from tidemill.models.naming import name_for
from tidemill.models.tables import FactsRow

BACKGROUND = "background"
"""Models of others call so what is nothing."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A source that was found. Of a service labels and task are only known when it answers."""

    type: Literal["model", "preset", "service"]
    name: str
    version_id: str | None
    folder: str | None
    """Where its files are, in the workspace."""
    task: str | None
    labels: tuple[str, ...]
    url: str | None = None
    model: str | None = None
    token: str | None = None
    gateway: str | None = None
    """Of a service of the project: what leads to it. The work's own token opens it."""


def resolve(
    db: Database,
    facts: FactsReader,
    source: ModelSource | PresetSource | ServiceSource,
    *,
    settings: Settings,
    by: Caller,
) -> Resolved:
    """Raises what is wrong with the source."""
    if isinstance(source, ServiceSource):
        return _resolve_service(db, facts, source, settings=settings, by=by)
    with db.read() as session:
        found = _find(session, source, by)
    row = facts.ensure(found.version.id)
    name = name_for(found, by)
    if row is None or not row.facts.get("is_runnable"):
        raise Invalid("model_not_runnable", field="source.model", name=name)
    return Resolved(source.type, name, found.version.id, f"model/{found.asset.name}", row.task, _labels(row))


def _resolve_service(
    db: Database, facts: FactsReader, source: ServiceSource, *, settings: Settings, by: Caller
) -> Resolved:
    if (source.service is None) == (source.url is None):
        raise Invalid("auto_service_one", field="source")
    if source.service is None:
        target = check_url(str(source.url), settings.outbound_allow, field="source.url")
        if source.model is None:
            raise Invalid("auto_service_model", field="source.model")
        token = source.token.get_secret_value() if source.token else None
        name = f"{target.url} {source.model}"[:200]
        return Resolved("service", name, None, None, None, (), target.url, source.model, token)
    with db.read() as session:
        service = find_service(session, settings, source.service, by=by)
        model = find_model(session, service, source.model, by=by)
    row = facts.ensure(model) if model else None
    task, labels = (row.task, _labels(row)) if row is not None else (None, ())
    return Resolved(
        "service", service.name, None, None, task, labels, service.url, source.model, gateway=service.gateway
    )


def _labels(row: FactsRow) -> tuple[str, ...]:
    names = (str(label["name"]) for label in row.facts.get("labels") or [])
    return tuple(one for one in names if one != BACKGROUND)


def _find(session: Session, source: ModelSource | PresetSource, by: Caller) -> Found:
    if isinstance(source, ModelSource):
        return resolve_model(session, source.model, by=by, field="source.model")
    entry = find_entry(source.preset)
    if entry is None:
        raise Invalid("catalogue_unknown", field="source.preset", name=source.preset)
    public = session.scalars(sa.select(ProjectRow.name).where(ProjectRow.is_public)).one()
    for reference in (entry.name, f"{public}/{entry.name}"):
        try:
            return resolve_model(session, reference, by=by, field="source.preset")
        except TidemillError:
            continue
    raise Conflict("catalogue_not_installed", field="source.preset", name=entry.name)
