"""MLflow's registry on top of what is there: registered models are model assets, their versions are versions."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import service as assets
from tidemill.assets import versions
from tidemill.assets.commits import commit_version
from tidemill.assets.editing import editable_tree
from tidemill.assets.kinds import MODEL, Scene
from tidemill.assets.lookup import Place, get_asset, get_version
from tidemill.assets.schemas import PATHS_MAX, AssetCreate
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.db import Database, in_batches, upsert
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.web import describe_broken_rule
from tidemill.store import trees
from tidemill.store.depot import Store
from tidemill.tracking import files, models
from tidemill.tracking.files import Spot, find_spot
from tidemill.tracking.tables import RegistryAliasRow, RegistrySourceRow, RegistryTagRow

NOTE_MAX = 500


def create_model(session: Session, name: str, *, description: str, tags: dict[str, str], by: Caller) -> AssetRow:
    try:
        body = AssetCreate(name=name, scene=Scene.OTHER, description=description)  # type: ignore[attr-defined]
    except ValidationError as broken:
        first = describe_broken_rule(broken.errors()[0], by.language)
        raise Invalid(first["code"], field=first["field"], message=first["message"]) from broken
    row = assets.create_asset(session, MODEL, body, by=by)
    set_tags(session, row, 0, tags)
    return row


def find_model(session: Session, name: str, *, by: Caller, lock: bool = False) -> AssetRow:
    return get_asset(session, Place(MODEL, name), project_id=by.project.id, lock=lock)


def find_version(session: Session, name: str, number: str, *, by: Caller) -> tuple[AssetRow, VersionRow]:
    return get_version(session, Place(MODEL, name, number), project_id=by.project.id, lock=True)


def create_version(
    db: Database,
    store: Store,
    name: str,
    *,
    source: str,
    run_id: str | None,
    model_id: str | None,
    run_link: str,
    note: str,
    tags: dict[str, str],
    by: Caller,
) -> Place:
    """A committed version with the files that the source names; no bytes are copied.

    The draft with all that is said of it is one transaction, sealing it another: a crash between them leaves a draft
    that anybody can commit or delete.
    """
    with db.write() as session:
        asset = find_model(session, name, by=by, lock=True)
        entries = _files_of(session, source, by=by)
        version = versions.new_version(session, asset, None, note=note[:NOTE_MAX], by=by)
        version.origin = "run"
        run_id = run_id or _run_of(session, source, by=by)
        with editable_tree(session, asset, version, by.now) as tree:
            for batch in in_batches(entries, PATHS_MAX):
                trees.put_entries(session, tree, list(batch), by.now)
        session.add(
            RegistrySourceRow(
                version_id=version.id, source=source, run_id=run_id, model_id=model_id, run_link=run_link, stage="None"
            )
        )
        set_tags(session, asset, version.number, tags)
        after = {"source": source[:200], "run": run_id, "files": len(entries)}
        versions.record(session, "create_version", asset, version, by=by, after=after)
        place = Place(MODEL, asset.id, str(version.number))
    commit_version(db, store, place, note=None, by=by)
    return place


def delete_model(session: Session, name: str, *, by: Caller, bin_days: float) -> None:
    """With its versions, into the bin."""
    asset = find_model(session, name, by=by, lock=True)
    live = sa.select(VersionRow.number).where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    for number in session.scalars(live.order_by(VersionRow.number.desc())).all():
        versions.delete_version(session, Place(MODEL, asset.id, str(number)), by=by, bin_days=bin_days)
    assets.delete_asset(session, Place(MODEL, asset.id), by=by, bin_days=bin_days)


def set_tags(session: Session, asset: AssetRow, version: int, tags: dict[str, str]) -> None:
    for key, value in tags.items():
        insert = upsert(session, RegistryTagRow).values(asset_id=asset.id, version=version, key=key, value=value)
        keys = ["asset_id", "version", "key"]
        session.execute(insert.on_conflict_do_update(index_elements=keys, set_={"value": value}))


def delete_tag(session: Session, asset: AssetRow, version: int, key: str) -> None:
    session.execute(
        sa.delete(RegistryTagRow).where(
            RegistryTagRow.asset_id == asset.id, RegistryTagRow.version == version, RegistryTagRow.key == key
        )
    )


def set_alias(session: Session, asset: AssetRow, alias: str, version: int) -> None:
    """An alias means one version: setting it again moves it."""
    insert = upsert(session, RegistryAliasRow).values(asset_id=asset.id, alias=alias, version=version)
    session.execute(insert.on_conflict_do_update(index_elements=["asset_id", "alias"], set_={"version": version}))


def delete_alias(session: Session, asset: AssetRow, alias: str) -> None:
    session.execute(
        sa.delete(RegistryAliasRow).where(RegistryAliasRow.asset_id == asset.id, RegistryAliasRow.alias == alias)
    )


def version_of_alias(session: Session, asset: AssetRow, alias: str) -> VersionRow:
    row = session.scalar(
        sa.select(VersionRow)
        .join(RegistryAliasRow, RegistryAliasRow.version == VersionRow.number)
        .where(
            RegistryAliasRow.asset_id == asset.id,
            RegistryAliasRow.alias == alias,
            VersionRow.asset_id == asset.id,
            VersionRow.deleted_at.is_(None),
        )
    )
    if row is None:
        raise NotFound("registry_alias_not_found", alias=alias[:100], name=asset.name)
    return row


def set_stage(session: Session, asset: AssetRow, version: VersionRow, stage: str, *, archive_others: bool) -> None:
    if archive_others and stage in ("Staging", "Production"):
        others = sa.select(VersionRow.id).where(VersionRow.asset_id == asset.id, VersionRow.id != version.id)
        session.execute(
            sa.update(RegistrySourceRow)
            .where(RegistrySourceRow.version_id.in_(others), RegistrySourceRow.stage == stage)
            .values(stage="Archived")
        )
    row = session.get(RegistrySourceRow, version.id)
    if row is None:
        row = RegistrySourceRow(version_id=version.id, source="", run_link="")
        session.add(row)
    row.stage = stage
    session.flush()


def models_out(session: Session, rows: Sequence[AssetRow]) -> list[dict[str, Any]]:
    """As MLflow's client reads them, each with its newest version."""
    ids = [row.id for row in rows]
    tags = _tags(session, ids)
    aliases = _aliases(session, ids)
    latest = session.scalars(
        sa.select(VersionRow)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(VersionRow.asset_id.in_(ids), VersionRow.number == AssetRow.latest_version)
    ).all()
    shown = dict(zip((row.asset_id for row in latest), versions_out(session, latest), strict=True))
    return [
        {
            "name": row.name,
            "creation_timestamp": int(row.created_at.timestamp() * 1000),
            "last_updated_timestamp": int(row.updated_at.timestamp() * 1000),
            "user_id": row.created_by,
            "description": row.description,
            "latest_versions": [shown[row.id]] if row.id in shown else [],
            "tags": tags.get((row.id, 0), []),
            "aliases": [{"alias": alias, "version": str(number)} for alias, number in aliases.get(row.id, [])],
        }
        for row in rows
    ]


def versions_out(session: Session, rows: Sequence[VersionRow]) -> list[dict[str, Any]]:
    ids = {row.asset_id for row in rows}
    found = session.execute(sa.select(AssetRow.id, AssetRow.name).where(AssetRow.id.in_(ids)))
    names: dict[str, str] = dict(found.all())
    tags, aliases = _tags(session, ids), _aliases(session, ids)
    known = sa.select(RegistrySourceRow).where(RegistrySourceRow.version_id.in_([row.id for row in rows]))
    sources = {row.version_id: row for row in session.scalars(known)}
    return [
        _version_out(
            row,
            names[row.asset_id],
            sources.get(row.id),
            tags.get((row.asset_id, row.number), []),
            [alias for alias, number in aliases.get(row.asset_id, []) if number == row.number],
        )
        for row in rows
    ]


def _version_out(
    row: VersionRow, name: str, source: RegistrySourceRow | None, tags: list[dict[str, str]], aliases: list[str]
) -> dict[str, Any]:
    return {
        "name": name,
        "version": str(row.number),
        "creation_timestamp": int(row.created_at.timestamp() * 1000),
        "last_updated_timestamp": int((row.committed_at or row.created_at).timestamp() * 1000),
        "user_id": row.created_by,
        "current_stage": source.stage if source else "None",
        "description": row.note,
        "source": source.source if source and source.source else download_uri(row),
        "run_id": (source.run_id or "") if source else "",
        "run_link": source.run_link if source else "",
        "model_id": (source.model_id or "") if source else "",
        "status": "READY" if row.state == "committed" else "PENDING_REGISTRATION",
        "tags": tags,
        "aliases": aliases,
    }


def download_uri(row: VersionRow) -> str:
    return f"mlflow-artifacts:/{files.REGISTRY}/{row.asset_id}/{row.number}"


def _files_of(session: Session, source: str, *, by: Caller) -> list[trees.Entry]:
    spot = _source_spot(source)
    tree_id = files.tree_of(session, spot, by=by)
    path = spot.path.strip("/")
    if tree_id is None:
        raise Invalid("registry_source_empty", field="source", source=source[:200])
    below = f"{path}/" if path else ""
    found = [
        trees.Entry(node.path.removeprefix(below), node.digest, node.size_bytes)
        for node in trees.walk(session, tree_id, path)
        if node.digest is not None and node.path.startswith(below)
    ]
    if not found:
        raise Invalid("registry_source_empty", field="source", source=source[:200])
    return found


def _source_spot(source: str) -> Spot:
    if source.startswith("mlflow-artifacts:/"):
        return find_spot(source.removeprefix("mlflow-artifacts:").lstrip("/"))
    if source.startswith("models:/m-"):
        model_id, _, path = source.removeprefix("models:/").partition("/")
        return Spot(model_id=model_id, path=path)
    if source.startswith("runs:/"):
        run_id, _, path = source.removeprefix("runs:/").partition("/")
        return Spot(run_id=run_id, path=path)
    raise Invalid("registry_source_unknown", field="source", source=source[:200])


def _run_of(session: Session, source: str, *, by: Caller) -> str | None:
    """The run that made what is registered, where the client does not say it."""
    spot = _source_spot(source)
    return models.get_model(session, spot.model_id, by=by).run_id if spot.model_id else spot.run_id


def _tags(session: Session, ids: Any) -> dict[tuple[str, int], list[dict[str, str]]]:
    found: dict[tuple[str, int], list[dict[str, str]]] = {}
    rows = session.scalars(
        sa.select(RegistryTagRow).where(RegistryTagRow.asset_id.in_(ids)).order_by(RegistryTagRow.key)
    )
    for row in rows:
        found.setdefault((row.asset_id, row.version), []).append({"key": row.key, "value": row.value})
    return found


def _aliases(session: Session, ids: Any) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    rows = session.scalars(
        sa.select(RegistryAliasRow).where(RegistryAliasRow.asset_id.in_(ids)).order_by(RegistryAliasRow.alias)
    )
    for row in rows:
        found.setdefault(row.asset_id, []).append((row.alias, row.version))
    return found
