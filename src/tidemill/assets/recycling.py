"""The recycle bin: what is deleted waits there, and comes back when asked."""

from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets import counters
from tidemill.assets.links import asset_link, version_link
from tidemill.assets.lookup import check_name_free
from tidemill.assets.schemas import BinView, Restored
from tidemill.assets.tables import AssetRow, BinRow, VersionRow
from tidemill.assets.views import version_name
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.store.tables import TreeRow

SORTS = {"deleted_at": BinRow.deleted_at, "name": BinRow.name_key, "size_bytes": BinRow.size_bytes}


def put_asset(session: Session, asset: AssetRow, *, by: Caller, bin_days: float) -> None:
    """Deletes a live asset without live versions, for now."""
    asset.deleted_at = by.now
    counters.change_count(session, asset.project_id, asset.kind, -1)
    _put(session, asset, None, kind=asset.kind, name=asset.name, size_bytes=0, by=by, bin_days=bin_days)


def put_version(session: Session, asset: AssetRow, version: VersionRow, *, by: Caller, bin_days: float) -> None:
    """Deletes a live version, for now."""
    version.deleted_at = by.now
    size_bytes = session.scalar(sa.select(TreeRow.size_bytes).where(TreeRow.id == version.tree_id)) or 0
    kind, name = f"{asset.kind}_version", version_name(asset, version)
    _put(session, asset, version, kind=kind, name=name, size_bytes=size_bytes, by=by, bin_days=bin_days)
    asset.updated_at = by.now
    counters.refresh_asset(session, asset)


def list_bin(session: Session, page: PageQuery, *, kind: str | None, by: Caller) -> Page[BinView]:
    """What is in the project's bin."""
    shown = sa.select(BinRow).where(BinRow.project_id == by.project.id, BinRow.is_purging.is_(False))
    if kind:
        shown = shown.where(BinRow.kind == kind)
    if page.q:
        shown = shown.where(contains(BinRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        shown,
        page,
        sorts=SORTS,
        id_column=BinRow.id,
        default_sort="-deleted_at",
        view=lambda rows: [BinView.model_validate(row) for row in rows],
    )


def get_entry(session: Session, entry_id: str, *, project_id: str) -> tuple[BinRow, AssetRow]:
    """An entry of the project's bin that can still be restored, and its asset, both locked."""
    found = None if "\x00" in entry_id else lock_entry(session, entry_id)
    if found is None or found[0].project_id != project_id or found[0].is_purging:
        raise NotFound("bin_entry_not_found")
    return found


def lock_entry(session: Session, entry_id: str) -> tuple[BinRow, AssetRow] | None:
    """An entry and its asset as they are now, ours until the transaction ends; None when the entry is gone.

    The asset comes first, as everywhere: whoever restores or removes at the same moment waits there.
    """
    asset_id = session.scalar(sa.select(BinRow.asset_id).where(BinRow.id == entry_id))
    asset = session.get(AssetRow, asset_id, with_for_update={"key_share": True}) if asset_id else None
    entry = session.scalar(sa.select(BinRow).where(BinRow.id == entry_id).execution_options(populate_existing=True))
    return None if asset is None or entry is None else (entry, asset)


def restore(session: Session, entry_id: str, *, name: str | None, by: Caller) -> Restored:
    """Brings an asset or a version back. A version whose asset is in the bin brings its asset along."""
    entry, asset = get_entry(session, entry_id, project_id=by.project.id)
    if asset.deleted_at is not None:
        _restore_asset(session, asset, name=name, by=by)
    if entry.version_id is None:
        return Restored(
            kind=asset.kind,
            name=asset.name,
            version=None,
            link=asset_link(by.project.name, asset.kind, asset.name),
        )
    version = session.get_one(VersionRow, entry.version_id)
    _restore_version(session, asset, version, entry, by=by)
    return Restored(
        kind=asset.kind,
        name=asset.name,
        version=version.number,
        link=version_link(by.project.name, asset.kind, asset.name, version.number),
    )


def _restore_asset(session: Session, asset: AssetRow, *, name: str | None, by: Caller) -> None:
    before = {"name": asset.name}
    wanted = name or asset.name
    try:
        check_name_free(session, asset.kind, wanted, project_id=asset.project_id)
    except Conflict:
        raise Conflict("restore_name_taken", field="name", name=wanted) from None
    asset.name, asset.name_key = wanted, name_key(wanted)
    asset.deleted_at = None
    asset.updated_at = by.now
    session.execute(sa.delete(BinRow).where(BinRow.asset_id == asset.id, BinRow.version_id.is_(None)))
    if wanted != before["name"]:
        _rename_versions_in_bin(session, asset)
    counters.change_count(session, asset.project_id, asset.kind, 1)
    audit.record(
        session,
        f"{asset.kind}.restore",
        by=by,
        target_kind=asset.kind,
        target_id=asset.id,
        target_name=asset.name,
        before=before,
        after={"name": asset.name},
    )


def _rename_versions_in_bin(session: Session, asset: AssetRow) -> None:
    entries = sa.select(BinRow, VersionRow).join(VersionRow, VersionRow.id == BinRow.version_id)
    for entry, version in session.execute(entries.where(BinRow.asset_id == asset.id)):
        entry.name = version_name(asset, version)
        entry.name_key = name_key(entry.name)


def _restore_version(session: Session, asset: AssetRow, version: VersionRow, entry: BinRow, *, by: Caller) -> None:
    version.deleted_at = None
    session.delete(entry)
    asset.updated_at = by.now
    counters.refresh_asset(session, asset)
    audit.record(
        session,
        f"{asset.kind}.restore_version",
        by=by,
        target_kind=f"{asset.kind}_version",
        target_id=version.id,
        target_name=version_name(asset, version),
    )


def _put(
    session: Session,
    asset: AssetRow,
    version: VersionRow | None,
    *,
    kind: str,
    name: str,
    size_bytes: int,
    by: Caller,
    bin_days: float,
) -> None:
    made = version or asset
    session.add(
        BinRow(
            id=new_id("bin"),
            project_id=asset.project_id,
            kind=kind,
            asset_id=asset.id,
            version_id=version.id if version else None,
            name=name,
            name_key=name_key(name),
            size_bytes=size_bytes,
            created_at=made.created_at,
            created_by=made.created_by,
            deleted_at=by.now,
            deleted_by=by.user_name,
            purge_at=by.now + timedelta(days=bin_days),
            is_purging=False,
        )
    )
