"""What a draft is annotated with: a model of the catalogue, a model version, or a service's address."""

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
from tidemill.models.auto.schemas import ModelSource, PresetSource, ServiceSource
from tidemill.models.catalogue.entries import find_entry
from tidemill.models.evaluations.service import resolve_model
from tidemill.models.facts import FactsReader
from tidemill.models.naming import name_for

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


def resolve(
    db: Database,
    facts: FactsReader,
    source: ModelSource | PresetSource | ServiceSource,
    *,
    allow: list[str],
    by: Caller,
) -> Resolved:
    """Raises what is wrong with the source."""
    if isinstance(source, ServiceSource):
        target = check_url(source.url, allow, field="source.url")
        token = source.token.get_secret_value() if source.token else None
        return Resolved(
            "service", f"{target.url} {source.model}"[:200], None, None, None, (), target.url, source.model, token
        )
    with db.read() as session:
        found = _find(session, source, by)
    row = facts.ensure(found.version.id)
    name = name_for(found, by)
    if row is None or not row.facts.get("is_runnable"):
        raise Invalid("model_not_runnable", field="source.model", name=name)
    names = (str(label["name"]) for label in row.facts["labels"])
    labels = tuple(one for one in names if one != BACKGROUND)
    return Resolved(source.type, name, found.version.id, f"model/{found.asset.name}", row.task, labels)


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
