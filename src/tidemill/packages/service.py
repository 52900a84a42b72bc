"""Packages: made, listed, described."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import counters
from tidemill.assets import service as assets
from tidemill.assets.kinds import PACKAGE, Scene
from tidemill.assets.lookup import Place
from tidemill.assets.schemas import AssetCreate, AssetPatch
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.db import contains
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.packages.schemas import PackageCreate, PackagePatch, PackageView, State
from tidemill.packages.tables import PackageVersionRow
from tidemill.packages.views import package_view, package_views


def list_packages(
    session: Session, page: PageQuery, *, scene: Scene | None, state: State | None, mine: bool, by: Caller
) -> Page[PackageView]:
    """One page of a project's packages; `state` is that of the newest version."""
    live = sa.select(AssetRow).where(
        AssetRow.project_id == by.project.id, AssetRow.kind == PACKAGE.name, AssetRow.deleted_at.is_(None)
    )
    is_whole = not (page.q or scene or state or mine)
    if scene:
        live = live.where(AssetRow.scene == scene.value)
    if mine:
        live = live.where(AssetRow.created_by_id == by.user_id)
    if page.q:
        live = live.where(contains(AssetRow.name_key, name_key(page.q)))
    if state:
        live = live.where(_newest_is(state))
    return fetch_page(
        session,
        live,
        page,
        sorts=assets.SORTS,
        id_column=AssetRow.id,
        default_sort="-updated_at",
        view=lambda rows: package_views(session, rows, by=by),
        total=counters.get_count(session, by.project.id, PACKAGE.name) if is_whole else None,
    )


def create_package(session: Session, body: PackageCreate, *, by: Caller) -> PackageView:
    """A new package without versions."""
    asset = assets.create_asset(session, PACKAGE, AssetCreate(**body.model_dump()), by=by)
    return package_view(session, asset, by=by)


def update_package(session: Session, place: Place, body: PackagePatch, *, by: Caller) -> PackageView:
    """Changes the description."""
    asset = assets.update_asset(session, place, AssetPatch(description=body.description), by=by)
    return package_view(session, asset, by=by)


def _newest_is(state: State) -> sa.ColumnElement[bool]:
    return (
        sa.exists()
        .where(
            VersionRow.asset_id == AssetRow.id,
            VersionRow.number == AssetRow.latest_version,
            PackageVersionRow.version_id == VersionRow.id,
            PackageVersionRow.state == state,
        )
        .correlate(AssetRow)
    )
