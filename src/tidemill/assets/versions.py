"""Versions: started, listed, described, deleted."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets import counters, lineage, recycling
from tidemill.assets.kinds import BY_NAME, VERSION_PREFIX
from tidemill.assets.lookup import Found, Place, get_asset, get_version, resolve_reference
from tidemill.assets.schemas import VersionCreate, VersionPatch, VersionView
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.views import version_name, version_view, version_views
from tidemill.kernel.errors import Invalid
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.store import trees
from tidemill.store.tables import TreeRow


def list_versions(session: Session, place: Place, page: PageQuery, *, by: Caller) -> Page[VersionView]:
    """An asset's live versions, newest first."""
    asset = get_asset(session, place, project_id=by.project.id)
    live = sa.select(VersionRow).where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    if page.q:
        live = live.where(VersionRow.number == int(page.q) if page.q.isdecimal() and len(page.q) < 16 else sa.false())
    return fetch_page(
        session,
        live,
        page,
        sorts={"number": VersionRow.number},
        id_column=VersionRow.id,
        default_sort="-number",
        view=lambda rows: version_views(session, asset, rows, by=by),
        total=None if page.q else asset.versions_count,
    )


def create_version(session: Session, place: Place, body: VersionCreate, *, by: Caller) -> VersionView:
    """A new draft: empty, or sharing the files of the version it starts from."""
    asset = get_asset(session, place, project_id=by.project.id, lock=True)
    source = None
    if body.from_ is not None:
        source = resolve_reference(session, body.from_, by=by, kind=place.kind, own_asset=asset, field="from")
    version = new_version(session, asset, source, note=body.note, by=by)
    record(session, "create_version", asset, version, by=by, after={"note": body.note, "from": body.from_})
    return version_view(session, asset, version, by=by)


def new_version(session: Session, asset: AssetRow, source: Found | None, *, note: str, by: Caller) -> VersionRow:
    """The next draft of a locked asset, from any version the caller was found to read; no bytes are copied."""
    asset.last_number += 1
    version = VersionRow(
        id=new_id(VERSION_PREFIX),
        asset_id=asset.id,
        number=asset.last_number,
        state="draft",
        note=note,
        origin="copy" if source else "new",
        tree_id=_tree_from(session, asset, source, by).id,
        format=source.version.format if source else None,
        metrics={},
        signature=source.version.signature if source else None,
        created_at=by.now,
        created_by=by.user_name,
    )
    session.add(version)
    session.flush()
    if source:
        lineage.add_copy(session, version, source, by=by)
    asset.updated_at = by.now
    counters.refresh_asset(session, asset)
    return version


def update_version(session: Session, place: Place, patch: VersionPatch, *, by: Caller) -> VersionView:
    """Changes what is said about a version; its files are changed elsewhere, and only in drafts."""
    asset, version = get_version(session, place, project_id=by.project.id, lock=True)
    given = patch.model_dump(include=patch.model_fields_set)
    for field in ("format", "metrics", "signature"):
        if field in given and not BY_NAME[asset.kind].has_results:
            raise Invalid("field_not_of_kind", field=field, kind=asset.kind)
    if "note" in given:
        given["note"] = given["note"] or ""
    if "metrics" in given:
        given["metrics"] = given["metrics"] or {}
    before = {field: getattr(version, field) for field in given}
    for field, value in given.items():
        setattr(version, field, value)
    asset.updated_at = by.now
    record(session, "update_version", asset, version, by=by, before=before, after=given)
    session.flush()
    return version_view(session, asset, version, by=by)


def delete_version(session: Session, place: Place, *, by: Caller, bin_days: float) -> None:
    """Into the bin, unless something live was made from it."""
    asset, version = get_version(session, place, project_id=by.project.id, lock=True)
    lineage.refuse_if_used(session, asset, by=by, version=version)
    recycling.put_version(session, asset, version, by=by, bin_days=bin_days)
    record(session, "delete_version", asset, version, by=by, before={"state": version.state, "note": version.note})


def record(session: Session, verb: str, asset: AssetRow, version: VersionRow, *, by: Caller, **change: Any) -> None:
    """Writes a change of a version to the audit log."""
    audit.record(
        session,
        f"{asset.kind}.{verb}",
        by=by,
        target_kind=f"{asset.kind}_version",
        target_id=version.id,
        target_name=version_name(asset, version),
        project_id=asset.project_id,
        **change,
    )


def _tree_from(session: Session, asset: AssetRow, source: Found | None, by: Caller) -> TreeRow:
    if source is None:
        return trees.create_tree(session, asset.project_id, by.now)
    tree = session.get_one(TreeRow, source.version.tree_id)
    if source.project.id == asset.project_id:
        trees.share(session, tree)
        return tree
    return trees.clone_into(session, tree, asset.project_id, by.now)
