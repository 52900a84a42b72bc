"""Searching registered models and their versions."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.kinds import MODEL
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.errors import Invalid
from tidemill.tracking import registry
from tidemill.tracking.search.conditions import compare
from tidemill.tracking.search.experiments import page_start, page_token
from tidemill.tracking.search.words import Words, WordTerm, parse_words
from tidemill.tracking.tables import RegistrySourceRow, RegistryTagRow
from tidemill.tracking.wire.calls import Call, endpoint

PROMPT_TAG = "mlflow.prompt.is_prompt"


@dataclass(frozen=True, slots=True)
class _Searched:
    """What is searched, and how it is answered."""

    field: str
    live: sa.Select[Any]
    """All of them that are models and not in the bin, of all projects."""
    words: Words
    fits: Callable[[WordTerm, str], Any]
    orders: Mapping[str, Any]
    then_by: tuple[Any, ...]
    """Behind the orders that were asked for."""
    shown: Callable[[Session, Sequence[Any]], list[dict[str, Any]]]
    page: int
    """Rows of a page when nothing else is asked for."""
    page_max: int


@endpoint("GET", "/mlflow/registered-models/search", "model.read")
def search_registered_models(call: Call) -> Any:
    return _search(call, _MODELS)


@endpoint("GET", "/mlflow/model-versions/search", "model.read")
def search_model_versions(call: Call) -> Any:
    return _search(call, _VERSIONS)


def _search(call: Call, what: _Searched) -> Any:
    values = call.values
    limit = values.whole("max_results", default=what.page, least=1, most=what.page_max)
    before = page_start(values.text("page_token", most=200, default=None))
    terms = parse_words(values.text("filter", most=10_000, default=""), what.words)
    orders = _orders(values.texts("order_by", most=5, length=200), what.orders)
    with call.db.read() as session:
        dialect = session.get_bind().dialect.name
        mine = what.live.where(AssetRow.project_id == call.by.project.id, *(what.fits(term, dialect) for term in terms))
        ordered = mine.order_by(*orders, *what.then_by)
        rows = session.scalars(ordered.offset(before).limit(limit + 1)).all()
        found: dict[str, Any] = {what.field: what.shown(session, rows[:limit])}
    return found | ({"next_page_token": page_token(before + limit)} if len(rows) > limit else {})


def _model_fits(term: WordTerm, dialect: str) -> Any:
    if term.is_tag:
        return _tagged(term, dialect, AssetRow.id, 0)
    return compare(AssetRow.name, term.operator, term.value, dialect)


def _version_fits(term: WordTerm, dialect: str) -> Any:
    if term.is_tag:
        return _tagged(term, dialect, VersionRow.asset_id, VersionRow.number)
    columns: dict[str, Any] = {
        "name": AssetRow.name,
        "run_id": RegistrySourceRow.run_id,
        "source_path": RegistrySourceRow.source,
        "model_id": RegistrySourceRow.model_id,
        "version_number": sa.cast(VersionRow.number, sa.Text()),
    }
    return compare(columns[term.name], term.operator, term.value, dialect)


def _tagged(term: WordTerm, dialect: str, asset_id: Any, version: Any) -> Any:
    if term.name == PROMPT_TAG and term.operator == "!=":
        # The client asks so for all that are no prompts: a model without the tag is meant, too.
        return ~_tagged(replace(term, operator="="), dialect, asset_id, version)
    return sa.exists().where(
        RegistryTagRow.asset_id == asset_id,
        RegistryTagRow.version == version,
        RegistryTagRow.key == term.name,
        compare(RegistryTagRow.value, term.operator, term.value, dialect),
    )


def _orders(asked: Sequence[str], columns: Mapping[str, Any]) -> list[Any]:
    found = []
    for text in asked:
        words = re.fullmatch(r"\s*(\w+)(?:\s+(ASC|DESC))?\s*", text, re.IGNORECASE)
        if words is None or words[1] not in columns:
            raise Invalid("order_unknown", field="order_by", given=text[:100], allowed=", ".join(columns))
        column = columns[words[1]]
        found.append(column.desc() if (words[2] or "").upper() == "DESC" else column.asc())
    return found


_LIVE_MODEL = (AssetRow.kind == MODEL.name, AssetRow.deleted_at.is_(None))
_MODELS = _Searched(
    field="registered_models",
    live=sa.select(AssetRow).where(*_LIVE_MODEL),
    words=Words(texts=("name",)),
    fits=_model_fits,
    orders={
        "name": AssetRow.name_key,
        "timestamp": AssetRow.updated_at,
        "last_updated_timestamp": AssetRow.updated_at,
        "creation_timestamp": AssetRow.created_at,
    },
    then_by=(AssetRow.name_key, AssetRow.id),
    shown=registry.models_out,
    page=100,
    page_max=1000,
)
_VERSIONS = _Searched(
    field="model_versions",
    live=sa.select(VersionRow)
    .join(AssetRow, AssetRow.id == VersionRow.asset_id)
    .outerjoin(RegistrySourceRow, RegistrySourceRow.version_id == VersionRow.id)
    .where(*_LIVE_MODEL, VersionRow.deleted_at.is_(None)),
    words=Words(texts=("name", "run_id", "source_path", "model_id", "version_number")),
    fits=_version_fits,
    orders={
        "name": AssetRow.name_key,
        "version_number": VersionRow.number,
        "creation_timestamp": VersionRow.created_at,
        "last_updated_timestamp": VersionRow.created_at,
    },
    then_by=(VersionRow.created_at.desc(), VersionRow.id.desc()),
    shown=registry.versions_out,
    page=10_000,
    page_max=200_000,
)
