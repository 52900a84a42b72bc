"""Packages as people see them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lineage import use_views
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.uses import find_uses
from tidemill.assets.views import asset_view, version_name
from tidemill.jobs.schemas import JobErrorView
from tidemill.jobs.texts import say_error
from tidemill.kernel.i18n import Language
from tidemill.packages import plans
from tidemill.packages.rows import same_digest
from tidemill.packages.schemas import (
    ModelInView,
    PackageUserView,
    PackageVersionSummary,
    PackageVersionView,
    PackageView,
    RecipeView,
)
from tidemill.packages.tables import PackageVersionRow
from tidemill.store.tables import TreeRow


def package_view(session: Session, asset: AssetRow, *, by: Caller) -> PackageView:
    return package_views(session, [asset], by=by)[0]


def package_views(session: Session, assets: Sequence[AssetRow], *, by: Caller) -> list[PackageView]:
    """Packages with how their newest versions are."""
    ids = [asset.id for asset in assets]
    latest, ready = _newest(session, ids, None), _newest(session, ids, "completed")
    return [
        PackageView(**asset_view(one, by=by).model_dump(), latest=latest.get(one.id), ready=ready.get(one.id))
        for one in assets
    ]


def version_view(
    session: Session, asset: AssetRow, version: VersionRow, row: PackageVersionRow, *, by: Caller
) -> PackageVersionView:
    return version_views(session, asset, [(version, row)], by=by)[0]


def version_views(
    session: Session, asset: AssetRow, rows: Sequence[tuple[VersionRow, PackageVersionRow]], *, by: Caller
) -> list[PackageVersionView]:
    """Versions of one package, what they are shown with found together."""
    wanted = {version.tree_id for version, _ in rows}
    trees = {tree.id: tree for tree in session.scalars(sa.select(TreeRow).where(TreeRow.id.in_(wanted)))}
    same = same_digest(session, asset.project_id, {row.digest for _, row in rows})
    users: dict[str, list[PackageUserView]] = {version.id: [] for version, _ in rows}
    uses = find_uses(session, [version.id for version, _ in rows])
    for use, view in zip(uses, use_views(session, uses, by=by), strict=True):
        users[use.version_id].append(PackageUserView(kind=view.kind, id=view.id, name=view.name, link=view.link))
    return [
        _version_view(
            asset,
            version,
            row,
            tree=trees[version.tree_id],
            same_as=[name for version_id, name, _ in same.get(row.digest, []) if version_id != version.id],
            users=users[version.id],
            by=by,
        )
        for version, row in rows
    ]


def error_view(row: PackageVersionRow, language: Language) -> JobErrorView | None:
    return JobErrorView(**say_error(row.problem, language)) if row.problem else None


def _version_view(
    asset: AssetRow,
    version: VersionRow,
    row: PackageVersionRow,
    *,
    tree: TreeRow,
    same_as: list[str],
    users: list[PackageUserView],
    by: Caller,
) -> PackageVersionView:
    plan = plans.from_json(row.plan)
    return PackageVersionView(
        id=version.id,
        package_id=asset.id,
        package=asset.name,
        project=by.project.name,
        number=version.number,
        name=version_name(asset, version),
        state=row.state,
        note=version.note,
        digest=row.digest,
        same_as=same_as,
        recipe=RecipeView(**row.recipe),
        models=[
            ModelInView(
                reference=one.reference,
                folder=one.folder,
                version_id=one.version_id,
                task=one.task,
                format=one.format,
            )
            for one in plan.models
        ],
        server=plan.server,
        protocol=plan.protocol,
        has_grpc=plan.has_grpc,
        task=plan.task,
        runtime=plan.base.kind,
        base_image=plan.base.name,
        image=plan.image,
        start=plan.start,
        files=tree.files,
        size_bytes=tree.size_bytes,
        error=error_view(row, by.language),
        workload_id=row.workload_id,
        users=users,
        created_at=version.created_at,
        created_by=version.created_by,
        started_at=row.started_at,
        finished_at=row.finished_at,
        permissions=_actions(by),
    )


def _actions(by: Caller) -> list[str]:
    return [action for action in ("read", "write", "delete") if by.may(f"package.{action}")]


def _newest(session: Session, asset_ids: Sequence[str], state: str | None) -> dict[str, PackageVersionSummary]:
    mine = sa.select(VersionRow.asset_id, sa.func.max(VersionRow.number).label("number")).join(
        PackageVersionRow, PackageVersionRow.version_id == VersionRow.id
    )
    mine = mine.where(VersionRow.asset_id.in_(asset_ids), VersionRow.deleted_at.is_(None))
    if state is not None:
        mine = mine.where(PackageVersionRow.state == state)
    newest = mine.group_by(VersionRow.asset_id).subquery()
    rows = session.execute(
        sa.select(VersionRow.asset_id, VersionRow.number, PackageVersionRow.state, PackageVersionRow.digest)
        .join(PackageVersionRow, PackageVersionRow.version_id == VersionRow.id)
        .join(newest, sa.and_(newest.c.asset_id == VersionRow.asset_id, newest.c.number == VersionRow.number))
    )
    return {
        asset_id: PackageVersionSummary(number=number, state=state, digest=digest)
        for asset_id, number, state, digest in rows
    }
