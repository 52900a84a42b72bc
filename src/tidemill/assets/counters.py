"""Numbers kept up to date so that no list has to count."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.tables import AssetCountRow, AssetRow, VersionRow
from tidemill.kernel.db import upsert
from tidemill.store.tables import TreeRow


def get_count(session: Session, project_id: str, kind: str) -> int:
    """Live assets of a kind in a project."""
    row = session.get(AssetCountRow, (project_id, kind))
    return row.live if row else 0


def change_count(session: Session, project_id: str, kind: str, delta: int) -> None:
    """One more or one less."""
    session.execute(
        upsert(session, AssetCountRow)
        .values(project_id=project_id, kind=kind, live=delta)
        .on_conflict_do_update(index_elements=["project_id", "kind"], set_={"live": AssetCountRow.live + delta})
    )


def refresh_asset(session: Session, asset: AssetRow) -> None:
    """Counts the asset's live versions anew, after one was made, deleted or restored. The asset is locked."""
    session.flush()
    asset.versions_count, asset.latest_version, asset.size_bytes = session.execute(
        sa.select(
            sa.func.count(),
            sa.func.max(VersionRow.number),
            sa.cast(sa.func.coalesce(sa.func.sum(TreeRow.size_bytes), 0), sa.BigInteger),
        )
        .join(TreeRow, TreeRow.id == VersionRow.tree_id)
        .where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    ).one()
