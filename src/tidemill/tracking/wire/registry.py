"""Registered models and their versions, as MLflow's client asks for them."""

import re
from typing import Any

import sqlalchemy as sa

from tidemill.assets import service as assets
from tidemill.assets import versions
from tidemill.assets.kinds import MODEL
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.schemas import AssetPatch, VersionPatch
from tidemill.assets.tables import VersionRow
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.tracking import registry
from tidemill.tracking.tables import RegistrySourceRow
from tidemill.tracking.wire.bodies import broken
from tidemill.tracking.wire.calls import Call, endpoint
from tidemill.tracking.wire.experiments import KEY_MAX

NAME_MAX = 400
TAG_MAX = 100_000
STAGES = ("None", "Staging", "Production", "Archived")


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
