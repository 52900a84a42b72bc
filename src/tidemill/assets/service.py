"""Assets: made, listed, described, deleted."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets import counters, lineage, recycling
from tidemill.assets.kinds import Kind, Scene
from tidemill.assets.lookup import Place, check_name_free, get_asset
from tidemill.assets.schemas import AssetCreate, AssetPatch, AssetView
from tidemill.assets.tables import AssetRow
from tidemill.assets.views import asset_view, may_delete
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Forbidden
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

FEW_FOUND = 1000
SORTS = {
    "name": AssetRow.name_key,
    "created_at": AssetRow.created_at,
    "updated_at": AssetRow.updated_at,
    "size_bytes": AssetRow.size_bytes,
}


def list_assets(
    session: Session, kind: Kind, page: PageQuery, *, scene: Scene | None, mine: bool, by: Caller
) -> Page[AssetView]:
    """One page of a project's live assets of a kind."""
    live = sa.select(AssetRow).where(
        AssetRow.project_id == by.project.id, AssetRow.kind == kind.name, AssetRow.deleted_at.is_(None)
    )
    if scene:
        live = live.where(AssetRow.scene == scene.value)
    if mine:
        live = live.where(AssetRow.created_by_id == by.user_id)
    total = None if scene or mine else counters.get_count(session, by.project.id, kind.name)
    if page.q:
        live, total = _named_like(session, live, page.q)
    return fetch_page(
        session,
        live,
        page,
        sorts=SORTS,
        id_column=AssetRow.id,
        default_sort="-updated_at",
        view=lambda rows: [asset_view(row, by=by) for row in rows],
        total=total,
    )


def _named_like(session: Session, among: sa.Select[AssetRow], text: str) -> tuple[sa.Select[AssetRow], int | None]:
    """Assets whose names contain the text, and how many where that is known.

    Few are found from the names, which are all in one index, and sorted then. Where there are many, walking the sort's
    own index comes upon them soon; walking it for few would mean looking at every asset.
    """
    named = among.where(contains(AssetRow.name_key, name_key(text)))
    ids = session.scalars(named.with_only_columns(AssetRow.id).limit(FEW_FOUND + 1)).all()
    if len(ids) > FEW_FOUND:
        return named, None
    return sa.select(AssetRow).where(AssetRow.id.in_(ids)), len(ids)


def create_asset(session: Session, kind: Kind, asset: AssetCreate, *, by: Caller) -> AssetRow:
    """A new asset without versions."""
    row = new_asset(session, kind, project_id=by.project.id, by=by, **asset.model_dump())
    _record(session, "create", row, by=by, after=_described(row))
    return row


def new_asset(
    session: Session, kind: Kind, *, project_id: str, name: str, scene: str, description: str, by: Caller
) -> AssetRow:
    """The row of a new asset in any project; the caller checks permission and writes the audit."""
    check_name_free(session, kind.name, name, project_id=project_id)
    row = AssetRow(
        id=new_id(kind.id_prefix),
        project_id=project_id,
        kind=kind.name,
        name=name,
        name_key=name_key(name),
        scene=str(scene),
        description=description,
        versions_count=0,
        last_number=0,
        size_bytes=0,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    counters.change_count(session, project_id, kind.name, 1)
    return row


def update_asset(session: Session, place: Place, patch: AssetPatch, *, by: Caller) -> AssetRow:
    """Changes the description."""
    row = get_asset(session, place, project_id=by.project.id, lock=True)
    before = {"description": row.description}
    row.description = patch.description
    row.updated_at = by.now
    _record(session, "update", row, by=by, before=before, after={"description": row.description})
    return row


def delete_asset(session: Session, place: Place, *, by: Caller, bin_days: float) -> None:
    """Into the bin; only when no version is left and nothing was made from one."""
    row = get_asset(session, place, project_id=by.project.id, lock=True)
    if not may_delete(row, by):
        raise Forbidden("asset_not_yours", owner=row.created_by)
    if row.versions_count:
        raise Conflict("asset_has_versions", name=row.name, count=row.versions_count)
    lineage.refuse_if_used(session, row, by=by)
    recycling.put_asset(session, row, by=by, bin_days=bin_days)
    _record(session, "delete", row, by=by, before=_described(row))


def _described(row: AssetRow) -> dict[str, Any]:
    return {"name": row.name, "scene": row.scene, "description": row.description}


def _record(session: Session, verb: str, row: AssetRow, *, by: Caller, **change: Any) -> None:
    audit.record(
        session, f"{row.kind}.{verb}", by=by, target_kind=row.kind, target_id=row.id, target_name=row.name, **change
    )
