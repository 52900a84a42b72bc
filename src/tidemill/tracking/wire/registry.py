"""Registered models and their versions, as MLflow's client asks for them."""

import re
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tidemill.assets import service as assets
from tidemill.assets import versions
from tidemill.assets.kinds import MODEL
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.schemas import AssetPatch, VersionPatch
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.tracking import registry
from tidemill.tracking.search.conditions import compare
from tidemill.tracking.search.experiments import page_start, page_token
from tidemill.tracking.search.words import Words, WordTerm, parse_words
from tidemill.tracking.tables import RegistrySourceRow, RegistryTagRow
from tidemill.tracking.wire.bodies import broken
from tidemill.tracking.wire.calls import Call, endpoint
from tidemill.tracking.wire.experiments import KEY_MAX

NAME_MAX = 400
TAG_MAX = 100_000
STAGES = ("None", "Staging", "Production", "Archived")
PROMPT_TAG = "mlflow.prompt.is_prompt"
_MODEL_WORDS = Words(texts=("name",))
_VERSION_WORDS = Words(texts=("name", "run_id", "source_path", "model_id", "version_number"))


@endpoint("POST", "/mlflow/registered-models/create", "model.write")
def create_registered_model(call: Call) -> Any:
    values = call.values
    tags = values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=200)
    with call.db.write() as session:
        row = registry.create_model(
            session, values.text("name", most=NAME_MAX), description=_description(call), tags=tags, by=call.by
        )
        return {"registered_model": registry.models_out(session, [row])[0]}


@endpoint("GET", "/mlflow/registered-models/get", "model.read")
def get_registered_model(call: Call) -> Any:
    with call.db.read() as session:
        row = registry.find_model(session, _name(call), by=call.by)
        return {"registered_model": registry.models_out(session, [row])[0]}


@endpoint("POST", "/mlflow/registered-models/rename", "model.write")
def rename_registered_model(call: Call) -> Any:
    raise Conflict("registry_no_rename", name=_name(call))


@endpoint("PATCH", "/mlflow/registered-models/update", "model.write")
def update_registered_model(call: Call) -> Any:
    with call.db.write() as session:
        place = Place(MODEL, _name(call))
        row = assets.update_asset(session, place, AssetPatch(description=_description(call)), by=call.by)
        session.flush()
        return {"registered_model": registry.models_out(session, [row])[0]}


@endpoint("DELETE", "/mlflow/registered-models/delete", "model.delete")
def delete_registered_model(call: Call) -> Any:
    with call.db.write() as session:
        registry.delete_model(session, _name(call), by=call.by, bin_days=_bin_days(call))


@endpoint("GET", "/mlflow/registered-models/search", "model.read")
def search_registered_models(call: Call) -> Any:
    values = call.values
    limit = values.whole("max_results", default=100, least=1, most=1000)
    before = page_start(values.text("page_token", most=200, default=None))
    with call.db.read() as session:
        statement = _live_models(call)
        dialect = session.get_bind().dialect.name
        for term in parse_words(values.text("filter", most=10_000, default=""), _MODEL_WORDS):
            statement = statement.where(_model_fits(term, dialect))
        columns = {
            "name": AssetRow.name_key,
            "timestamp": AssetRow.updated_at,
            "last_updated_timestamp": AssetRow.updated_at,
            "creation_timestamp": AssetRow.created_at,
        }
        statement = _ordered(statement, call, columns).order_by(AssetRow.name_key, AssetRow.id)
        rows = session.scalars(statement.offset(before).limit(limit + 1)).all()
        found: dict[str, Any] = {"registered_models": registry.models_out(session, rows[:limit])}
    return found | ({"next_page_token": page_token(before + limit)} if len(rows) > limit else {})


@endpoint("POST", "/mlflow/registered-models/get-latest-versions", "model.read")
def get_latest_versions(call: Call) -> Any:
    return _latest(call)


@endpoint("GET", "/mlflow/registered-models/get-latest-versions", "model.read")
def get_latest_versions_by_query(call: Call) -> Any:
    return _latest(call)


@endpoint("POST", "/mlflow/registered-models/set-tag", "model.write")
def set_registered_model_tag(call: Call) -> Any:
    key, value = _tag(call)
    with call.db.write() as session:
        registry.set_tags(session, registry.find_model(session, _name(call), by=call.by, lock=True), 0, {key: value})


@endpoint("DELETE", "/mlflow/registered-models/delete-tag", "model.write")
def delete_registered_model_tag(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)
    with call.db.write() as session:
        registry.delete_tag(session, registry.find_model(session, _name(call), by=call.by, lock=True), 0, key)


@endpoint("POST", "/mlflow/registered-models/alias", "model.write")
def set_registered_model_alias(call: Call) -> Any:
    with call.db.write() as session:
        asset, version = registry.find_version(session, _name(call), _number(call), by=call.by)
        registry.set_alias(session, asset, _alias(call), version.number)


@endpoint("DELETE", "/mlflow/registered-models/alias", "model.write")
def delete_registered_model_alias(call: Call) -> Any:
    with call.db.write() as session:
        registry.delete_alias(session, registry.find_model(session, _name(call), by=call.by, lock=True), _alias(call))


@endpoint("GET", "/mlflow/registered-models/alias", "model.read")
def get_model_version_by_alias(call: Call) -> Any:
    with call.db.read() as session:
        asset = registry.find_model(session, _name(call), by=call.by)
        row = registry.version_of_alias(session, asset, _alias(call))
        return {"model_version": registry.versions_out(session, [row])[0]}


@endpoint("POST", "/mlflow/model-versions/create", "model.write")
def create_model_version(call: Call) -> Any:
    values = call.values
    place = registry.create_version(
        call.db,
        call.request.app.state.store,
        _name(call),
        source=values.text("source", most=5000),
        run_id=values.text("run_id", most=100, default=None),
        model_id=values.text("model_id", most=100, default=None),
        run_link=values.text("run_link", most=5000, default=""),
        note=_description(call),
        tags=values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=200),
        by=call.by,
    )
    with call.db.read() as session:
        _, row = get_version(session, place, project_id=call.by.project.id)
        return {"model_version": registry.versions_out(session, [row])[0]}


@endpoint("GET", "/mlflow/model-versions/get", "model.read")
def get_model_version(call: Call) -> Any:
    with call.db.read() as session:
        _, row = get_version(session, Place(MODEL, _name(call), _number(call)), project_id=call.by.project.id)
        return {"model_version": registry.versions_out(session, [row])[0]}


@endpoint("GET", "/mlflow/model-versions/get-download-uri", "model.read")
def get_model_version_download_uri(call: Call) -> Any:
    with call.db.read() as session:
        _, row = get_version(session, Place(MODEL, _name(call), _number(call)), project_id=call.by.project.id)
        return {"artifact_uri": registry.download_uri(row)}


@endpoint("PATCH", "/mlflow/model-versions/update", "model.write")
def update_model_version(call: Call) -> Any:
    with call.db.write() as session:
        place = Place(MODEL, _name(call), _number(call))
        versions.update_version(session, place, VersionPatch(note=_description(call)), by=call.by)
        _, row = get_version(session, place, project_id=call.by.project.id)
        return {"model_version": registry.versions_out(session, [row])[0]}


@endpoint("DELETE", "/mlflow/model-versions/delete", "model.delete")
def delete_model_version(call: Call) -> Any:
    with call.db.write() as session:
        place = Place(MODEL, _name(call), _number(call))
        versions.delete_version(session, place, by=call.by, bin_days=_bin_days(call))


@endpoint("POST", "/mlflow/model-versions/transition-stage", "model.write")
def transition_model_version_stage(call: Call) -> Any:
    stage = call.values.text("stage", most=50).capitalize()
    if stage not in STAGES:
        raise broken("field_choice", "stage", expected=", ".join(STAGES))
    with call.db.write() as session:
        asset, row = registry.find_version(session, _name(call), _number(call), by=call.by)
        registry.set_stage(session, asset, row, stage, archive_others=call.values.flag("archive_existing_versions"))
        return {"model_version": registry.versions_out(session, [row])[0]}


@endpoint("GET", "/mlflow/model-versions/search", "model.read")
def search_model_versions(call: Call) -> Any:
    values = call.values
    limit = values.whole("max_results", default=10_000, least=1, most=200_000)
    before = page_start(values.text("page_token", most=200, default=None))
    with call.db.read() as session:
        statement = _live_versions(call)
        dialect = session.get_bind().dialect.name
        for term in parse_words(values.text("filter", most=10_000, default=""), _VERSION_WORDS):
            statement = statement.where(_version_fits(term, dialect))
        columns = {
            "name": AssetRow.name_key,
            "version_number": VersionRow.number,
            "creation_timestamp": VersionRow.created_at,
            "last_updated_timestamp": VersionRow.created_at,
        }
        statement = _ordered(statement, call, columns).order_by(VersionRow.created_at.desc(), VersionRow.id.desc())
        rows = session.scalars(statement.offset(before).limit(limit + 1)).all()
        found: dict[str, Any] = {"model_versions": registry.versions_out(session, rows[:limit])}
    return found | ({"next_page_token": page_token(before + limit)} if len(rows) > limit else {})


@endpoint("POST", "/mlflow/model-versions/set-tag", "model.write")
def set_model_version_tag(call: Call) -> Any:
    key, value = _tag(call)
    with call.db.write() as session:
        asset, row = registry.find_version(session, _name(call), _number(call), by=call.by)
        registry.set_tags(session, asset, row.number, {key: value})


@endpoint("DELETE", "/mlflow/model-versions/delete-tag", "model.write")
def delete_model_version_tag(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)
    with call.db.write() as session:
        asset, row = registry.find_version(session, _name(call), _number(call), by=call.by)
        registry.delete_tag(session, asset, row.number, key)


def _name(call: Call) -> str:
    found: str = call.values.text("name", most=NAME_MAX)
    return found


def _number(call: Call) -> str:
    return str(call.values.whole("version", least=1, most=10**15 - 1))


def _alias(call: Call) -> str:
    found: str = call.values.text("alias", most=255)
    if not re.fullmatch(r"[\w-]+", found) or re.fullmatch(r"[vV]\d+|latest", found):
        raise Invalid("registry_alias_unfit", field="alias", given=found[:100])
    return found


def _tag(call: Call) -> tuple[str, str]:
    return call.values.text("key", most=KEY_MAX), call.values.text("value", most=TAG_MAX, least=0, default="")


def _description(call: Call) -> str:
    found: str = call.values.text("description", most=registry.NOTE_MAX, default="")
    return found.strip()


def _bin_days(call: Call) -> float:
    days: float = call.request.app.state.settings.bin_days
    return days


def _latest(call: Call) -> Any:
    wanted = call.values.texts("stages", most=10, length=50) or list(STAGES)
    with call.db.read() as session:
        asset = registry.find_model(session, _name(call), by=call.by)
        stage = sa.func.coalesce(RegistrySourceRow.stage, "None")
        newest = (
            sa.select(sa.func.max(VersionRow.number))
            .outerjoin(RegistrySourceRow, RegistrySourceRow.version_id == VersionRow.id)
            .where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
            .where(stage.in_([one.capitalize() for one in wanted]))
            .group_by(stage)
        )
        mine = sa.select(VersionRow).where(VersionRow.asset_id == asset.id, VersionRow.number.in_(newest))
        rows = session.scalars(mine.order_by(VersionRow.number)).all()
        return {"model_versions": registry.versions_out(session, rows)}


def _live_models(call: Call) -> Any:
    return sa.select(AssetRow).where(
        AssetRow.project_id == call.by.project.id, AssetRow.kind == MODEL.name, AssetRow.deleted_at.is_(None)
    )


def _live_versions(call: Call) -> Any:
    return (
        sa.select(VersionRow)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .outerjoin(RegistrySourceRow, RegistrySourceRow.version_id == VersionRow.id)
        .where(
            AssetRow.project_id == call.by.project.id,
            AssetRow.kind == MODEL.name,
            AssetRow.deleted_at.is_(None),
            VersionRow.deleted_at.is_(None),
        )
    )


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


def _ordered(statement: Any, call: Call, columns: dict[str, Any]) -> Any:
    for text in call.values.texts("order_by", most=5, length=200):
        found = re.fullmatch(r"\s*(\w+)(?:\s+(ASC|DESC))?\s*", text, re.IGNORECASE)
        if found is None or found[1] not in columns:
            raise Invalid("order_unknown", field="order_by", given=text[:100], allowed=", ".join(columns))
        column = columns[found[1]]
        statement = statement.order_by(column.desc() if (found[2] or "").upper() == "DESC" else column.asc())
    return statement
