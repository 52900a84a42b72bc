"""Versions of packages: asked for, listed, copied, built again, stopped."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets import lineage, versions
from tidemill.assets.known import load_versions, readable_versions
from tidemill.assets.lookup import Place, get_asset
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.uses import Source as UsedSource
from tidemill.assets.views import version_name
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.packages import building, plans
from tidemill.packages.image_links import source_of
from tidemill.packages.lookup import get_package_version
from tidemill.packages.planning import exact
from tidemill.packages.plans import Plan, digest_of
from tidemill.packages.rows import ENDED
from tidemill.packages.schemas import PackageVersionView, Recipe
from tidemill.packages.tables import PackageVersionRow
from tidemill.packages.views import version_views
from tidemill.workloads import service as workloads


@dataclass(frozen=True, slots=True)
class Planned:
    """A recipe and what it came to, before anything was written."""

    recipe: Recipe
    plan: Plan


def list_versions(session: Session, place: Place, page: PageQuery, *, by: Caller) -> Page[PackageVersionView]:
    """A package's live versions, newest first."""
    asset = get_asset(session, place, project_id=by.project.id)
    live = sa.select(VersionRow).where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    if page.q:
        live = live.where(VersionRow.number == int(page.q) if page.q.isdecimal() and len(page.q) < 16 else sa.false())

    def views(rows: list[VersionRow]) -> list[PackageVersionView]:
        found = sa.select(PackageVersionRow).where(PackageVersionRow.version_id.in_([one.id for one in rows]))
        own = {one.version_id: one for one in session.scalars(found)}
        return version_views(session, asset, [(one, own[one.id]) for one in rows], by=by)

    return fetch_page(
        session,
        live,
        page,
        sorts={"number": VersionRow.number},
        id_column=VersionRow.id,
        default_sort="-number",
        view=lambda rows: views(list(rows)),
        total=None if page.q else asset.versions_count,
    )


def create_version(
    session: Session, place: Place, planned: Planned, *, note: str, by: Caller
) -> tuple[AssetRow, VersionRow, PackageVersionRow]:
    """The next version, on its way to be built."""
    asset = get_asset(session, place, project_id=by.project.id, lock=True)
    return (asset, *add_version(session, asset, planned, note=note, by=by))


def add_version(
    session: Session, asset: AssetRow, planned: Planned, *, note: str, by: Caller
) -> tuple[VersionRow, PackageVersionRow]:
    """`create_version` for an asset that is locked."""
    _hold_sources(session, planned.plan, by=by)
    version = versions.new_version(session, asset, None, note=note, by=by)
    recipe = exact(planned.recipe, planned.plan)
    row = PackageVersionRow(
        version_id=version.id,
        asset_id=asset.id,
        project_id=asset.project_id,
        state="pending",
        recipe=recipe.model_dump(mode="json"),
        plan=planned.plan.to_json(),
        digest=digest_of(planned.plan, recipe),
        revision=0,
        changed_at=by.now,
    )
    session.add(row)
    session.flush()
    lineage.add_made_from(session, version, {one.version_id for one in planned.plan.sources}, by=by)
    _add_image(session, version, planned.plan, by=by)
    building.start(session, asset, version, row, by=by)
    versions.record(session, "create_version", asset, version, by=by, after={"digest": row.digest, "note": note})
    return version, row


def rebuild(session: Session, place: Place, *, by: Caller) -> tuple[AssetRow, VersionRow, PackageVersionRow]:
    """Builds a version again whose build failed or was stopped; one that is built stays as it is."""
    asset, version, row = get_package_version(session, place, project_id=by.project.id, lock=True)
    if row.state not in {"failed", "stopped"}:
        code = "package_built" if row.state == "completed" else "package_building"
        raise Conflict(code, name=version_name(asset, version))
    building.start(session, asset, version, row, by=by)
    versions.record(session, "build_version", asset, version, by=by)
    return asset, version, row


def stop(session: Session, place: Place, *, by: Caller) -> tuple[AssetRow, VersionRow, PackageVersionRow]:
    """Stops the build under way."""
    asset, version, row = get_package_version(session, place, project_id=by.project.id, lock=True)
    if row.state in ENDED or row.workload_id is None:
        raise Conflict("package_not_building", name=version_name(asset, version))
    workloads.stop(session, row.workload_id, by=by)
    versions.record(session, "stop_version", asset, version, by=by)
    session.flush()
    return asset, version, row


def refuse_unbuilt(session: Session, asset: AssetRow, version: VersionRow) -> None:
    """Raises when the version is being built: whoever deletes it stops it first."""
    row = session.get(PackageVersionRow, version.id)
    if row is not None and row.state not in ENDED:
        raise Conflict("package_building", name=version_name(asset, version))


def recipe_of(row: PackageVersionRow) -> Recipe:
    """The recipe as it was kept."""
    return Recipe.model_validate(row.recipe)


def plan_of(row: PackageVersionRow) -> Plan:
    return plans.from_json(row.plan)


def _hold_sources(session: Session, plan: Plan, *, by: Caller) -> None:
    """Nothing that goes in is deleted from here on: assets are locked, always in one order, and still there."""
    ids = {one.version_id for one in plan.sources}
    asset_ids = session.scalars(sa.select(VersionRow.asset_id).where(VersionRow.id.in_(ids))).all()
    for asset_id in sorted(set(asset_ids)):
        session.execute(sa.select(AssetRow.id).where(AssetRow.id == asset_id).with_for_update(key_share=True))
    known = load_versions(session, ids)
    readable = readable_versions(session, list(known.values()), by=by)
    for one in plan.sources:
        if one.version_id not in readable or not known[one.version_id].is_live:
            raise Invalid("reference_unknown", field=_field(one.kind), reference=one.reference)


def _field(kind: str) -> str:
    return "models" if kind == "model" else "algorithm"


def _add_image(session: Session, version: VersionRow, plan: Plan, *, by: Caller) -> None:
    row = session.get(ImageRow, plan.base.id, with_for_update={"key_share": True})
    if row is None:
        raise Invalid("image_unknown", field="image", image=plan.base.name)
    source: UsedSource = source_of(row, session.get_one(ProjectRow, row.project_id))
    lineage.add_made_from_other(session, version, source, by=by)
