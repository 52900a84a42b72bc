"""Rows as the API shows them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.schemas import Action, AssetView, Signature, VersionView
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.store.tables import TreeRow


def asset_view(row: AssetRow, *, by: Caller) -> AssetView:
    """An asset of the call's project."""
    return AssetView(
        id=row.id,
        kind=row.kind,
        name=row.name,
        project=by.project.name,
        is_public=by.project.is_public,
        scene=row.scene,
        description=row.description,
        versions_count=row.versions_count,
        latest_version=row.latest_version,
        size_bytes=row.size_bytes,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
        permissions=_actions(row, by),
    )


def may_delete(row: AssetRow, by: Caller) -> bool:
    """An asset is deleted by who made it, or by an administrator."""
    return by.may(f"{row.kind}.delete") and (by.is_administrator or row.created_by_id == by.user_id)


def version_view(session: Session, asset: AssetRow, row: VersionRow, *, by: Caller) -> VersionView:
    return version_views(session, asset, [row], by=by)[0]


def version_views(session: Session, asset: AssetRow, rows: Sequence[VersionRow], *, by: Caller) -> list[VersionView]:
    """Versions of one asset, their trees found together."""
    wanted = {row.tree_id for row in rows}
    trees = {tree.id: tree for tree in session.scalars(sa.select(TreeRow).where(TreeRow.id.in_(wanted)))}
    return [_version_view(asset, row, trees[row.tree_id], by) for row in rows]


def _version_view(asset: AssetRow, row: VersionRow, tree: TreeRow, by: Caller) -> VersionView:
    return VersionView(
        id=row.id,
        asset_id=asset.id,
        asset=asset.name,
        kind=asset.kind,
        project=by.project.name,
        number=row.number,
        name=version_name(asset, row),
        state=row.state,
        note=row.note,
        digest=tree.manifest_digest if row.state == "committed" else None,
        files=tree.files,
        size_bytes=tree.size_bytes,
        revision=tree.revision,
        origin=row.origin,
        format=row.format,
        metrics=row.metrics,
        signature=None if row.signature is None else Signature.model_validate(row.signature),
        created_at=row.created_at,
        created_by=row.created_by,
        committed_at=row.committed_at,
        can_edit=row.state == "draft" and by.may(f"{asset.kind}.write"),
    )


def version_name(asset: AssetRow, row: VersionRow) -> str:
    return f"{asset.name}@{row.number}"


def _actions(row: AssetRow, by: Caller) -> list[Action]:
    may: list[Action] = ["read"]
    if by.may(f"{row.kind}.write"):
        may.append("write")
    if may_delete(row, by):
        may.append("delete")
    return may
